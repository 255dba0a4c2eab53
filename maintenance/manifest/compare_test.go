package manifest_test

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/apache/iceberg-go"

	"github.com/firndb/firn/maintenance/manifest"
)

func longText(v int64) string { return strconv.FormatInt(v, 10) }

// compare says how an entry of a block differs from what iceberg-go reads.
// What an entry inherits is left out: it is not in the file.
func compare(b *manifest.Block, row int, want iceberg.ManifestEntry) string {
	file := want.DataFile()
	for kind, value := range map[manifest.Kind]any{
		manifest.Status: int64(want.Status()), manifest.Content: int64(file.ContentType()), manifest.RecordCount: file.Count(),
		manifest.FileSize: file.FileSizeBytes(), manifest.FilePath: file.FilePath(), manifest.FileFormat: string(file.FileFormat()),
		manifest.KeyMetadata: file.KeyMetadata(), manifest.SplitOffsets: file.SplitOffsets(), manifest.EqualityIDs: wide(file.EqualityFieldIDs()),
		manifest.SortOrderID: pointed(file.SortOrderID()), manifest.ReferencedDataFile: text(file.ReferencedDataFile()),
		manifest.ContentOffset: pointed(file.ContentOffset()), manifest.ContentSize: pointed(file.ContentSizeInBytes()),
		manifest.ColumnSizes: file.ColumnSizes(), manifest.ValueCounts: file.ValueCounts(), manifest.NullValueCounts: file.NullValueCounts(),
		manifest.NaNValueCounts: file.NaNValueCounts(), manifest.LowerBounds: file.LowerBoundValues(), manifest.UpperBounds: file.UpperBoundValues(),
	} {
		if got := fmt.Sprint(valueAt(b.Columns[manifest.Whole(kind)], row)); got != fmt.Sprint(value) {
			return fmt.Sprintf("leaf %d is %v, want %v", kind, got, value)
		}
	}
	for kind, inherited := range map[manifest.Kind]int64{
		manifest.SnapshotID: want.SnapshotID(), manifest.SequenceNumber: want.SequenceNum(),
	} {
		if v, ok := b.Columns[manifest.Whole(kind)].(*manifest.Longs).At(row); ok && v != inherited {
			return fmt.Sprintf("leaf %d is %d, want %d", kind, v, inherited)
		}
	}
	tuples := b.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
	place, _ := tuples.Index.At(row)
	got, err := tuples.Values(int(place))
	if err != nil {
		return err.Error()
	}
	partition := file.Partition()
	for id, v := range partition {
		if v == nil {
			delete(partition, id)
		}
	}
	if len(got) != len(partition) || len(got) > 0 && !reflect.DeepEqual(got, partition) {
		return fmt.Sprintf("partition %#v, want %#v", got, partition)
	}
	return ""
}

// valueAt is a value of a column in the type that iceberg-go has it in.
func valueAt(c manifest.Column, row int) any {
	switch c := c.(type) {
	case *manifest.Longs:
		if v, ok := c.At(row); ok {
			return v
		}
		return nil
	case *manifest.Bytes:
		return c.At(row)
	case *manifest.Dict:
		return string(c.At(row))
	case *manifest.Paths:
		folder, name := c.At(row)
		return string(folder) + string(name)
	case *manifest.Lists:
		return c.At(row)
	case *manifest.Maps:
		return mapAt(c, row)
	}
	return "no column"
}

func mapAt(m *manifest.Maps, row int) any {
	ids, start, ok := m.At(row)
	longs, bounds := map[int]int64{}, map[int][]byte{}
	for i, id := range ids {
		if m.OfBytes() {
			bounds[int(id)] = m.Bytes(start + i)
		} else {
			longs[int(id)] = m.Long(start + i)
		}
	}
	switch {
	case !ok || m.OfBytes():
		return bounds
	}
	return longs
}

func wide(ids []int) []int64 {
	var list []int64
	for _, id := range ids {
		list = append(list, int64(id))
	}
	return list
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// pointed is what p points to as int64, nil if nothing.
func pointed[T int | int64](p *T) any {
	if p == nil {
		return nil
	}
	return int64(*p)
}
