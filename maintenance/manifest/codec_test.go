package manifest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/twmb/avro/ocf"

	"github.com/firndb/firn/maintenance/manifest"
)

// recoded is a manifest compressed by another codec, in blocks of n entries.
func recoded(t *testing.T, content []byte, codec ocf.Codec, n int) []byte {
	t.Helper()
	in, err := ocf.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := ocf.NewWriter(&out, in.Schema(), ocf.WithCodec(codec), ocf.WithBlockCount(n), ocf.WithMetadata(ownMetadata(in.Metadata())), ocf.WithSchema(in.Schema().String()))
	if err != nil {
		t.Fatal(err)
	}
	for {
		var entry any
		if err := in.Decode(&entry); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if err := w.Encode(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// ownMetadata leaves out what belongs to Avro.
func ownMetadata(all map[string][]byte) map[string][]byte {
	own := map[string][]byte{}
	for k, v := range all {
		if !strings.HasPrefix(k, "avro.") {
			own[k] = v
		}
	}
	return own
}

// sampleManifest is one with many entries.
func sampleManifest(t testing.TB) (file iceberg.ManifestFile, content []byte) {
	t.Helper()
	files, contents := lakeManifests(t)
	at := 0
	for i, f := range files {
		if f.AddedDataFiles()+f.ExistingDataFiles() > files[at].AddedDataFiles()+files[at].ExistingDataFiles() {
			at = i
		}
	}
	return files[at], contents[at]
}

func TestCodecs(t *testing.T) {
	file, content := sampleManifest(t)
	want := paths(t, file, content)
	zstd, err := ocf.ZstdCodec(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, codec := range []ocf.Codec{nullCodec{}, ocf.DeflateCodec(9), ocf.DeflateCodec(0), ocf.SnappyCodec(), zstd} {
		for _, n := range []int{1, 3, 1000} {
			got := recoded(t, content, codec, n)
			if p := paths(t, file, got); p != want {
				t.Errorf("%s in blocks of %d: got %s", codec.Name(), n, p)
			}
			// The two that have a checksum.
			got[len(got)-30] ^= 0xff
			checked := codec.Name() == "snappy" || codec.Name() == "zstandard"
			if _, err := blocks(file, got, allLeaves()...); err == nil && checked {
				t.Errorf("%s in blocks of %d: damage was not noticed", codec.Name(), n)
			}
		}
	}
	unknown := bytes.Replace(recoded(t, content, ocf.SnappyCodec(), 10), []byte("snappy"), []byte("snappx"), 1)
	if _, err := blocks(file, unknown); err == nil || !strings.Contains(err.Error(), `"snappx" is not known; null, deflate`) {
		t.Errorf("an unknown codec: %v", err)
	}
}

type nullCodec struct{}

func (nullCodec) Name() string                          { return "null" }
func (nullCodec) Compress(src []byte) ([]byte, error)   { return src, nil }
func (nullCodec) Decompress(src []byte) ([]byte, error) { return src, nil }
func (nullCodec) Close() error                          { return nil }

func paths(t *testing.T, file iceberg.ManifestFile, content []byte) string {
	t.Helper()
	all, err := blocks(file, content, manifest.Whole(manifest.FilePath))
	if err != nil {
		t.Fatal(err)
	}
	var list []any
	for _, b := range all {
		for i := range b.Rows {
			list = append(list, valueAt(b.Columns[manifest.Whole(manifest.FilePath)], i))
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNothingIsLost: a manifest cut off anywhere is an error, as is one whose
// header says otherwise than the manifest list.
func TestNothingIsLost(t *testing.T) {
	file, content := sampleManifest(t)
	for n := range len(content) {
		if n%7 != 0 && n < len(content)-100 {
			continue
		}
		got, err := blocks(file, content[:n], allLeaves()...)
		if err == nil && len(got) > 0 {
			t.Errorf("the first %d of %d bytes: %d blocks and no error", n, len(content), len(got))
		}
	}
	kind := iceberg.ManifestContentData
	if file.ManifestContent() == kind {
		kind = iceberg.ManifestContentDeletes
	}
	other := iceberg.NewManifestFile(3, file.FilePath(), file.Length(), file.PartitionSpecID(), file.SnapshotID()).Content(kind).Build()
	if _, err := blocks(other, content); err == nil || !strings.Contains(err.Error(), "in the manifest list it is") {
		t.Errorf("a manifest of other content: %v", err)
	}
	older := iceberg.NewManifestFile(1, file.FilePath(), file.Length(), file.PartitionSpecID(), file.SnapshotID()).Build()
	if _, err := blocks(older, content); err == nil || !strings.Contains(err.Error(), "that of the manifest list is 1") {
		t.Errorf("a manifest newer than its list: %v", err)
	}
}

func TestCancelledRead(t *testing.T) {
	file, content := sampleManifest(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := manifest.Read(ctx, bytes.NewReader(content), file, &manifest.Schemas{}, nil, func(*manifest.Block) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzRead: whatever a file holds is read or an error. Seeds are manifests of
// each kind without compression, so that changes reach the entries.
func FuzzRead(f *testing.F) {
	files, contents := lakeManifests(f)
	var seeds []iceberg.ManifestFile
	for i := range files {
		if i%40 == 0 && len(contents[i]) < 20_000 {
			f.Add(len(seeds), contents[i])
			seeds = append(seeds, files[i])
		}
	}
	leaves := append(allLeaves()[:manifest.ColumnSizes], manifest.Of(manifest.LowerBounds, 1), manifest.Of(manifest.ValueCounts, 2), manifest.Whole(manifest.ColumnSizes), manifest.Whole(manifest.UpperBounds))
	f.Fuzz(func(t *testing.T, i int, content []byte) {
		file := seeds[uint(i)%uint(len(seeds))]
		got, err := blocks(file, content, leaves...)
		if err != nil {
			return
		}
		for _, b := range got {
			tuples := b.Columns[manifest.Whole(manifest.Partition)].(*manifest.Tuples)
			for row := range b.Rows {
				for _, c := range b.Columns {
					valueAt(c, row)
				}
				if place, ok := tuples.Index.At(row); ok {
					_, _ = tuples.Values(int(place))
				}
			}
		}
	})
}
