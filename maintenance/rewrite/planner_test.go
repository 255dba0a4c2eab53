package rewrite

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// parseFiles makes files from lines "name size [part=N] [spec=N] [rows=N]
// [pos=N] [shared=N] [eq=N] [dv=N]": pos is a position delete file of this data
// file alone with N rows, shared one of several files, eq an equality delete
// file, dv a deletion vector. Without part= the file is of partition 0; spec=0
// is the old, unpartitioned spec.
func parseFiles(t *testing.T, meta table.Metadata, text string) []File {
	t.Helper()
	var files []File
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		n := map[string]int64{"spec": 1, "rows": 100}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			n[key] = number(t, value)
		}
		spec := *meta.PartitionSpecByID(int(n["spec"]))
		partition := map[int]any{}
		if n["spec"] == 1 {
			partition[1000] = int32(n["part"])
		}
		f := File{Task: table.FileScanTask{File: build(t, spec, iceberg.EntryContentData, words[0], iceberg.ParquetFile, partition, n["rows"], number(t, words[1]), "")}}
		f.Task.Length = f.Size()
		for key, ref := range map[string]string{"pos": words[0], "shared": ""} {
			if n[key] > 0 {
				f.Task.DeleteFiles = append(f.Task.DeleteFiles, build(t, spec, iceberg.EntryContentPosDeletes, key, iceberg.ParquetFile, partition, n[key], 10, ref))
			}
		}
		if n["eq"] > 0 {
			f.Task.EqualityDeleteFiles = append(f.Task.EqualityDeleteFiles, build(t, spec, iceberg.EntryContentEqDeletes, "eq", iceberg.ParquetFile, partition, n["eq"], 10, ""))
		}
		if n["dv"] > 0 {
			f.Task.DeletionVectorFiles = append(f.Task.DeletionVectorFiles, build(t, spec, iceberg.EntryContentPosDeletes, "dv", iceberg.PuffinFile, partition, n["dv"], 10, words[0]))
		}
		files = append(files, f)
	}
	return files
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func build(t *testing.T, spec iceberg.PartitionSpec, content iceberg.ManifestEntryContent, path string, format iceberg.FileFormat, partition map[int]any, rows, size int64, ref string) iceberg.DataFile {
	t.Helper()
	b, err := iceberg.NewDataFileBuilder(spec, content, path, format, partition, nil, nil, rows, size)
	if err != nil {
		t.Fatal(err)
	}
	if ref != "" {
		b.ReferencedDataFile(ref)
	}
	return b.Build()
}

// show is a plan in a line: groups of names, then the names left alone.
func show(p *Plan) string {
	var b strings.Builder
	for _, g := range p.Groups {
		names := make([]string, len(g.Files))
		for i, f := range g.Files {
			names[i] = f.Path()
		}
		fmt.Fprintf(&b, "[%s]", strings.Join(names, " "))
		if g.Repartition {
			b.WriteByte('*')
		}
		b.WriteByte(' ')
	}
	b.WriteByte('-')
	for _, f := range p.Skipped {
		b.WriteString(" " + f.Path())
	}
	return b.String()
}

func TestPlanner(t *testing.T) {
	const (
		// Files of the target 100, so that 75 to 180 is fine.
		target = "target-file-size-bytes=100"
		five   = "a 10\nb 10\nc 10\nd 10\ne 10"
	)
	for _, tc := range []struct{ name, options, files, want string }{
		{"nothing", "", "", "-"},
		{"five small files", "", five, "[a b c d e] -"},
		{"four small files", "", "a 10\nb 10\nc 10\nd 10", "- a b c d"},
		{"four are enough", "min-input-files=4", "a 10\nb 10\nc 10\nd 10", "[a b c d] -"},
		{"one is never enough", "min-input-files=1", "a 10", "- a"},
		{"two are at least needed", "min-input-files=1", "a 10\nb 10", "[a b] -"},
		{"files of good size stay", target, five + "\nf 75\ng 180", "[a b c d e] - f g"},
		{"just too small, just too large", target + " min-input-files=2", "a 74\nb 181", "[a b] -"},
		{"content of more than a file", target, "a 60\nb 60", "[a b] -"},
		{"content of just a file", target, "a 50\nb 50", "- a b"},
		{"one file too large", target, "a 181", "[a] -"},
		{"own bounds", target + " min-file-size-bytes=10 max-file-size-bytes=500", "a 10\nb 500\nc 9\nd 501", "[c d] - a b"},
		{"partitions apart", "", five + "\nf 10 part=1\ng 10 part=1", "[a b c d e] - f g"},
		{"partitions in the order they appear", "rewrite-all=true", "a 10 part=2\nb 10 part=1\nc 10 part=2", "[a c] [b] -"},
		{"old specs together", "rewrite-all=true", "a 10 spec=0\nb 10 part=1\nc 10 spec=0", "[a c]* [b] -"},
		{"old spec as output", "rewrite-all=true output-spec-id=0", "a 10 spec=0\nb 10 part=1", "[a] [b]* -"},
		{"groups by size", "rewrite-all=true max-file-group-size-bytes=25", five, "[a b] [c d] [e] -"},
		{"groups by size then judged", "min-input-files=2 max-file-group-size-bytes=25", five, "[a b] [c d] - e"},
		{"a file larger than a group", "rewrite-all=true max-file-group-size-bytes=25", "a 10\nb 40\nc 10", "[a] [b] [c] -"},
		{"groups by count", "rewrite-all=true max-file-group-input-files=2", five, "[a b] [c d] [e] -"},
		{"count below the minimum skips all", "max-file-group-input-files=2", five, "- a b c d e"},
		{"at most so many files", "max-files-to-rewrite=3", five, "[a b c] - d e"},
		{"at most so many files over groups", "rewrite-all=true max-files-to-rewrite=3", "a 10\nb 10\nc 10 part=1\nd 10 part=1\ne 10 part=2", "[a b] [c] - d e"},
		{"order by bytes", "rewrite-all=true rewrite-job-order=bytes-asc", "a 30\nb 10 part=1\nc 20 part=2", "[b] [c] [a] -"},
		{"order by bytes, largest first", "rewrite-all=true rewrite-job-order=bytes-desc", "a 20\nb 10 part=1\nc 30 part=2", "[c] [a] [b] -"},
		{"order by files", "rewrite-all=true rewrite-job-order=files-asc", "a 10\nb 10\nc 10 part=1", "[c] [a b] -"},
		{"order by files, most first", "rewrite-all=true rewrite-job-order=files-desc", "c 10 part=1\na 10\nb 10", "[a b] [c] -"},
		{"equal groups stay in order", "rewrite-all=true rewrite-job-order=bytes-desc", "a 10\nb 10 part=1\nc 10 part=2", "[a] [b] [c] -"},
		{"three tenths deleted, alone", target, "a 100 pos=30", "[a] -"},
		{"less deleted", target, "a 100 pos=29", "- a"},
		{"by deletion vector", target, "a 100 dv=30\nb 100 dv=3", "[a] - b"},
		{"deletes of several files are not counted", target, "a 100 shared=90", "- a"},
		{"equality deletes are not counted", target, "a 100 eq=90", "- a"},
		{"more deletes than rows", target + " delete-ratio-threshold=1", "a 100 pos=500", "[a] -"},
		{"no rows at all", target, "a 100 rows=0 pos=1", "- a"},
		{"other ratio", target + " delete-ratio-threshold=0.1", "a 100 pos=10", "[a] -"},
		{"a delete file", target + " delete-file-threshold=1", "a 100 shared=1\nb 100\nc 100 eq=1", "[a c] -  b"},
		{"two delete files", target + " delete-file-threshold=2", "a 100 shared=1 eq=1\nb 100 eq=1", "[a] - b"},
		{"no delete file at all", target + " delete-file-threshold=0", "a 100", "[a] -"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			meta := testMeta(t, nil)
			values := map[string]string{}
			for _, pair := range strings.Fields(tc.options) {
				key, value, _ := strings.Cut(pair, "=")
				values[key] = value
			}
			o, err := ParseOptions(values, meta)
			if err != nil {
				t.Fatal(err)
			}
			plan := &Plan{Options: o}
			files := parseFiles(t, meta, tc.files)
			newGrouper(meta, o).plan(plan, files)
			if got := show(plan); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tc.want), " ") {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if got := plan.Files() + len(plan.Skipped); got != len(files) {
				t.Errorf("%d files are planned or left alone, of %d", got, len(files))
			}
			for _, s := range plan.Skipped {
				if s.Reason == "" {
					t.Errorf("%s is left alone without a reason", s.Path())
				}
			}
		})
	}
}

func TestCommitsOfPlan(t *testing.T) {
	for _, tc := range []struct {
		groups          int
		partial         bool
		max, commits, n int
	}{
		{0, false, 10, 0, 0},
		{24, false, 10, 1, 24},
		{24, true, 3, 3, 8},
		{10, true, 4, 4, 3},
		{9, true, 6, 5, 2},
		{3, true, 10, 3, 1},
	} {
		p := &Plan{Groups: make([]Group, tc.groups), Options: Options{PartialProgress: tc.partial, MaxCommits: int32(tc.max)}}
		if got := p.Commits(); got != tc.commits {
			t.Errorf("%+v: %d commits", tc, got)
		}
		if got := p.Options.groupsPerCommit(len(p.Groups)); tc.groups > 0 && got != tc.n {
			t.Errorf("%+v: %d groups a commit", tc, got)
		}
	}
}

func TestBins(t *testing.T) {
	meta := testMeta(t, nil)
	cut := parseFiles(t, meta, "big 100")[0]
	b, err := iceberg.NewDataFileBuilder(*meta.PartitionSpecByID(1), iceberg.EntryContentData, "big", iceberg.ParquetFile, map[int]any{1000: int32(0)}, nil, nil, 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	cut.Task.File = b.SplitOffsets([]int64{4, 40, 70}).Build()
	for _, tc := range []struct {
		name  string
		files []File
		split int64
		want  string
	}{
		{"one bin", parseFiles(t, meta, "a 10\nb 10"), 100, "a:0+10 b:0+10"},
		{"two bins", parseFiles(t, meta, "a 10\nb 10\nc 10"), 20, "a:0+10 b:0+10 | c:0+10"},
		{"deletes weigh", parseFiles(t, meta, "a 10 eq=1\nb 10"), 20, "a:0+10 | b:0+10"},
		{"row groups", []File{cut}, 36, "big:4+36 | big:40+30 | big:70+30"},
		{"row groups join", []File{cut}, 70, "big:4+66 | big:70+30"},
		{"the whole file", []File{cut}, 100, "big:4+96"},
		// Two files are expected below: what is left over does not become a third,
		// if each may be so large.
		{"shared out", parseFiles(t, meta, "a 10\nb 10\nc 10\nd 10\ne 10"), 24, "a:0+10 b:0+10 | c:0+10 d:0+10 e:0+10"},
		{"not shared out", parseFiles(t, meta, "a 20\nb 20\nc 20"), 24, "a:0+20 | b:0+20 | c:0+20"},
	} {
		var parts []string
		for _, bin := range (Group{Files: tc.files, SplitSize: tc.split, MaxFileSize: 30, expected: 2}).bins(1) {
			var items []string
			for _, task := range bin {
				items = append(items, fmt.Sprintf("%s:%d+%d", task.File.FilePath(), task.Start, task.Length))
			}
			parts = append(parts, strings.Join(items, " "))
		}
		if got := strings.Join(parts, " | "); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}
