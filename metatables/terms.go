package metatables

import (
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/datafile"
	"github.com/firndb/firn/maintenance/manifest"
)

// fileTerms are the terms of the files tables.
func fileTerms(tbl *table.Table) (terms, error) {
	ts, err := partitionTerms(tbl)
	if err != nil {
		return nil, err
	}
	ts["content"] = wholeTerm(iceberg.PrimitiveTypes.Int32, manifest.Content, contentSpan)
	ts["spec_id"] = term{typ: iceberg.PrimitiveTypes.Int32, manifest: func(m manifestRef, t test) bool {
		return t.whole(int64(m.PartitionSpecID()), true)
	}}
	for path, kind := range map[string]manifest.Kind{
		"record_count": manifest.RecordCount, "file_size_in_bytes": manifest.FileSize, "first_row_id": manifest.FirstRowID,
		"content_offset": manifest.ContentOffset, "content_size_in_bytes": manifest.ContentSize,
	} {
		ts[path] = wholeTerm(iceberg.PrimitiveTypes.Int64, kind, nil)
	}
	ts["sort_order_id"] = wholeTerm(iceberg.PrimitiveTypes.Int32, manifest.SortOrderID, nil)
	ts["file_path"] = pathTerm(manifest.FilePath)
	ts["referenced_data_file"] = pathTerm(manifest.ReferencedDataFile)
	ts["file_format"] = term{
		typ: iceberg.PrimitiveTypes.String, leaves: []manifest.Leaf{manifest.Whole(manifest.FileFormat)},
		rows: func(b fileBatch, t test) func(int) bool {
			formats := b.block.Columns[manifest.Whole(manifest.FileFormat)].(*manifest.Dict)
			return func(i int) bool { return t.text(formats.At(i)) }
		},
	}
	return ts, nil
}

// entryTerms are the terms of the entries tables.
func entryTerms(tbl *table.Table) (terms, error) {
	files, err := fileTerms(tbl)
	if err != nil {
		return nil, err
	}
	ts := terms{
		"status":               wholeTerm(iceberg.PrimitiveTypes.Int32, manifest.Status, statusSpan),
		"snapshot_id":          wholeTerm(iceberg.PrimitiveTypes.Int64, manifest.SnapshotID, snapshotSpan),
		"sequence_number":      wholeTerm(iceberg.PrimitiveTypes.Int64, manifest.SequenceNumber, sequenceSpan),
		"file_sequence_number": wholeTerm(iceberg.PrimitiveTypes.Int64, manifest.FileSequenceNumber, sequenceSpan),
	}
	for path, t := range files {
		ts["data_file."+path] = t
	}
	return ts, nil
}

// span says what numbers the entries of a manifest have: low to high, or NULL;
// ok is false if that is not known.
type span func(m manifestRef) (low, high int64, null, ok bool)

func wholeTerm(typ iceberg.Type, kind manifest.Kind, in span) term {
	t := term{typ: typ, leaves: []manifest.Leaf{manifest.Whole(kind)}}
	t.rows = func(b fileBatch, check test) func(int) bool {
		get := b.whole(kind)
		return func(i int) bool { return check.whole(get(i)) }
	}
	if in != nil {
		t.manifest = func(m manifestRef, check test) bool {
			low, high, null, ok := in(m)
			return !ok || check.between(low, high) || null && check.null()
		}
	}
	return t
}

func contentSpan(m manifestRef) (low, high int64, null, ok bool) {
	if m.ManifestContent() == iceberg.ManifestContentData {
		return int64(iceberg.EntryContentData), int64(iceberg.EntryContentData), false, true
	}
	return int64(iceberg.EntryContentPosDeletes), int64(iceberg.EntryContentEqDeletes), false, true
}

func statusSpan(m manifestRef) (low, high int64, null, ok bool) {
	low, high = 2, 0
	for status, count := range []int32{m.ExistingDataFiles(), m.AddedDataFiles(), m.DeletedDataFiles()} {
		if count < 0 {
			return 0, 0, false, false
		}
		if count > 0 {
			low, high = min(low, int64(status)), max(high, int64(status))
		}
	}
	return low, high, false, low <= high
}

// snapshotSpan: files are added and removed by the snapshot that adds the
// manifest; only those that were there before are of others.
func snapshotSpan(m manifestRef) (low, high int64, null, ok bool) {
	return m.SnapshotID(), m.SnapshotID(), false, m.ExistingDataFiles() == 0 && m.SnapshotID() >= 0
}

// sequenceSpan: the least number in a manifest list does not count removed
// files.
func sequenceSpan(m manifestRef) (low, high int64, null, ok bool) {
	return m.MinSequenceNum(), m.SequenceNum(), true, m.DeletedDataFiles() == 0 && m.MinSequenceNum() >= 0 && m.SequenceNum() >= 0
}

func pathTerm(kind manifest.Kind) term {
	return term{
		typ: iceberg.PrimitiveTypes.String, leaves: []manifest.Leaf{manifest.Whole(kind)},
		rows: func(b fileBatch, t test) func(int) bool {
			paths := b.block.Columns[manifest.Whole(kind)].(*manifest.Paths)
			var text []byte
			return func(i int) bool {
				folder, name := paths.At(i)
				if folder == nil {
					return t.null()
				}
				text = append(append(text[:0], folder...), name...)
				return t.text(text)
			}
		},
	}
}

// partitionTerms are the fields of the partition type.
func partitionTerms(tbl *table.Table) (terms, error) {
	typ, err := partitionType(tbl.Metadata())
	if err != nil {
		return nil, err
	}
	ts := terms{}
	for _, part := range typ.FieldList {
		path := "partition." + part.Name
		if _, twice := ts[path]; twice {
			ts[path] = term{typ: part.Type}
			continue
		}
		summaries := summaryOf{tbl.Metadata(), part}
		ts[path] = term{
			typ: part.Type, leaves: []manifest.Leaf{manifest.Whole(manifest.Partition)},
			manifest: summaries.mayHold,
			rows:     func(b fileBatch, t test) func(int) bool { return partitionRowsThat(b, t, part) },
		}
	}
	return ts, nil
}

// partitionRowsThat tests each different partition once.
func partitionRowsThat(b fileBatch, t test, part iceberg.NestedField) func(i int) bool {
	tuples := b.block.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
	results := make([]int8, tuples.Dict.Values.Len())
	return func(i int) bool {
		place, ok := tuples.Index.At(i)
		if !ok {
			return true
		}
		if results[place] == 0 {
			results[place] = 1
			// What cannot be read is an error where it is shown.
			if values, err := tuples.Values(int(place)); err == nil && !t.partition(part.Type, values[part.ID]) {
				results[place] = -1
			}
		}
		return results[place] > 0
	}
}

// partition tests a partition value, of a field that is shown as typ.
func (t test) partition(typ iceberg.Type, v any) bool {
	switch v := v.(type) {
	case nil:
		return t.null()
	case string:
		return t.text([]byte(v))
	}
	n, ok := datafile.Whole(v)
	return !ok || !sameUnit(typ, v) || t.whole(n, true)
}

// sameUnit says whether a number is shown as it is: a date that has become a
// timestamp is not.
func sameUnit(typ iceberg.Type, v any) bool {
	switch typ.(type) {
	case iceberg.TimestampType, iceberg.TimestampTzType:
		_, ok := v.(iceberg.Timestamp)
		return ok
	case iceberg.TimestampNsType, iceberg.TimestampTzNsType:
		_, ok := v.(iceberg.TimestampNano)
		return ok
	}
	return true
}

// summaryOf is the summaries that manifest lists have of a partition field.
type summaryOf struct {
	metadata table.Metadata
	part     iceberg.NestedField
}

func (s summaryOf) mayHold(m manifestRef, t test) bool {
	spec := s.metadata.PartitionSpecByID(int(m.PartitionSpecID()))
	if spec == nil {
		return true
	}
	at := -1
	for i, f := range spec.Fields() {
		if f.FieldID == s.part.ID {
			at = i
		}
	}
	types, summaries := spec.PartitionType(s.metadata.CurrentSchema()).FieldList, m.Partitions()
	if at < 0 {
		return t.null()
	}
	if at >= len(types) || at >= len(summaries) || len(types) != spec.NumFields() {
		return true
	}
	summary := summaries[at]
	if summary.ContainsNull && t.null() || summary.ContainsNaN != nil && *summary.ContainsNaN {
		return true
	}
	if summary.LowerBound == nil || summary.UpperBound == nil {
		// Without bounds there are no values, if the writer is to be trusted
		// with what it says of NULL.
		return !summary.ContainsNull
	}
	low, err := boundValue(types[at].Type, *summary.LowerBound)
	if err != nil {
		return true
	}
	high, err := boundValue(types[at].Type, *summary.UpperBound)
	if err != nil {
		return true
	}
	return t.bounds(s.part.Type, low, high)
}

// bounds says whether a value from low to high may meet the test.
func (t test) bounds(typ iceberg.Type, low, high any) bool {
	if from, ok := low.(string); ok {
		to, ok := high.(string)
		return !ok || t.textsBetween([]byte(from), []byte(to))
	}
	from, fromOK := datafile.Whole(low)
	to, toOK := datafile.Whole(high)
	return !fromOK || !toOK || !sameUnit(typ, low) || !sameUnit(typ, high) || t.between(from, to)
}
