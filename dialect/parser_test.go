package dialect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/google/go-cmp/cmp"
)

// TestStatements shows how a text of several statements is cut.
func TestStatements(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"SELECT 1", []string{"SELECT 1"}},
		{" SELECT 1 ; ", []string{"SELECT 1"}},
		{"SELECT 1; SELECT ';' -- a; b\n; CALL lake.system.p('a;b', \"c;\") ;", []string{"SELECT 1", "SELECT ';' -- a; b", "CALL lake.system.p('a;b', \"c;\")"}},
		{";;SELECT /* ; */ `;` FROM t;;SELECT 2", []string{";;SELECT /* ; */ `;` FROM t", ";SELECT 2"}},
		{"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END; SELECT 3", []string{"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END", "SELECT 3"}},
		{"SET @a = 1; BEGIN; COMMIT", []string{"SET @a = 1", "BEGIN", "COMMIT"}},
	}
	p := NewParser(lake{}, recorder{})
	for _, test := range tests {
		var got []string
		for rest := test.text; rest != ""; {
			stmt, parsed, next, err := p.Parse(sql.NewEmptyContext(), rest, true)
			if err != nil || stmt == nil {
				t.Fatalf("%q: statement %v, error %v", rest, stmt, err)
			}
			got = append(got, parsed)
			rest = next
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// TestParseOne shows that the index of the next statement is right after the
// semicolon.
func TestParseOne(t *testing.T) {
	p := NewParser(lake{}, recorder{})
	text := "SELECT ';' FROM lake.ops.chain.files ; SELECT 2"
	_, next, err := p.ParseOneWithOptions(context.Background(), text, ast.ParserOptions{})
	if err != nil || text[next:] != " SELECT 2" {
		t.Errorf("next statement %q, error %v", text[next:], err)
	}
	_, next, err = p.ParseOneWithOptions(context.Background(), "SELECT 1", ast.ParserOptions{})
	if err != nil || next != len("SELECT 1") {
		t.Errorf("index %d, error %v", next, err)
	}
}

// TestNoStatement shows that texts without a statement are known as such, as
// the engine wants it.
func TestNoStatement(t *testing.T) {
	p := NewParser(lake{}, recorder{})
	for _, text := range []string{"", " ", ";", ";; ;", "-- a comment", "/* a */ ;", "# a\n"} {
		if _, err := p.ParseSimple(text); !errors.Is(err, ast.ErrEmpty) {
			t.Errorf("ParseSimple(%q): error %v", text, err)
		}
		if _, _, rest, err := p.Parse(sql.NewEmptyContext(), text, true); !errors.Is(err, ast.ErrEmpty) || rest != "" {
			t.Errorf("Parse(%q): remainder %q, error %v", text, rest, err)
		}
	}
	if stmt, err := p.ParseSimple("/*!40101 SET NAMES utf8 */"); err != nil || stmt == nil {
		t.Errorf("a comment that the engine executes: %v, error %v", stmt, err)
	}
}

// TestOnlyOne shows that a second statement is refused where one is expected.
func TestOnlyOne(t *testing.T) {
	p := NewParser(lake{}, recorder{})
	_, err := p.ParseSimple("SELECT 1; DROP TABLE t")
	if !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "position 11") {
		t.Errorf("error %v", err)
	}
	if _, err := p.ParseSimple("SELECT 1; -- the end"); err != nil {
		t.Error(err)
	}
}

// TestPositions shows that errors count in the text that was typed, also in its
// later statements and where it was rewritten.
func TestPositions(t *testing.T) {
	tests := []struct{ text, near string }{
		{"SELECT partition.a, b c ! FROM lake.ops.chain.files", "!"},
		{"  SELECT x FROM lake.ops.chain.files f g", "g"},
		{"\n\nCALL lake.system.p(\n  a => 1,\n  b => )", ")"},
		{"SELECT 'größe', partition.day FROM lake.ops.chain.files WHERE WHERE", "WHERE WHERE"},
		{"SELECT a || b, 7L 8 FROM lake.ops.chain", "8 FROM"},
	}
	p := NewParser(lake{}, recorder{})
	for _, test := range tests {
		_, err := p.ParseSimple(test.text)
		want := strings.LastIndex(test.text, test.near) + 1
		if near, _, ok := strings.Cut(test.near, " "); ok && near == "WHERE" {
			want += len("WHERE ")
		}
		if !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), fmt.Sprintf("position %d ", want)) {
			t.Errorf("%q: error %v, want position %d", test.text, err, want)
		}
	}
}

// TestAnsiQuotes shows that double quotes quote names in that mode.
func TestAnsiQuotes(t *testing.T) {
	p := NewParser(lake{}, recorder{})
	stmt, _, _, err := p.ParseWithOptions(context.Background(), `SELECT "partition"."day" FROM "lake"."ops"."chain"."files"`, ';', false, ast.ParserOptions{AnsiQuotes: true})
	if err != nil {
		t.Fatal(err)
	}
	want := "select struct_field(`partition`, 'day') `day` from `lake.ops`.`chain$files` as files"
	if got := ast.String(stmt); got != want {
		t.Errorf("statement %s, want %s", got, want)
	}
}

// metadataColumns are the columns of Iceberg's metadata tables and the fields
// in them, of its data tables' metadata columns, and words which Spark takes for
// columns and the engine's grammar does not.
const metadataColumns = `
	made_current_at snapshot_id parent_id is_current_ancestor committed_at operation manifest_list summary
	timestamp file latest_snapshot_id latest_schema_id latest_sequence_number content path length partition_spec_id
	added_snapshot_id added_data_files_count existing_data_files_count deleted_data_files_count added_delete_files_count
	existing_delete_files_count deleted_delete_files_count partition_summaries contains_null contains_nan lower_bound
	upper_bound key_metadata reference_snapshot_id status sequence_number file_sequence_number data_file readable_metrics
	file_path file_format spec_id partition record_count file_size_in_bytes column_sizes value_counts null_value_counts
	nan_value_counts lower_bounds upper_bounds split_offsets equality_ids sort_order_id first_row_id referenced_data_file
	content_offset content_size_in_bytes file_count total_data_file_size_in_bytes position_delete_record_count
	position_delete_file_count equality_delete_record_count equality_delete_file_count last_updated_at
	last_updated_snapshot_id name type max_reference_age_in_ms min_snapshots_to_keep max_snapshot_age_in_ms pos row
	delete_file_path column_size value_count null_value_count nan_value_count _file _pos _deleted _spec_id _partition _row_id
	_last_updated_sequence_number event_time_day ts_hour größe_日本
	system key keys count rows rank groups read option range index column database schema function condition lead
	date day month year hour minute second time zone region level comment values options properties location version
	tag branch ref start end offset size map array string first last min max sum action data format host user group_id
	primary references unique usage release repeat replace require restrict return revoke schemas separator signal
	starting trigger undo unlock use using write lag lock loop match purge kill leave lines load long grant get
	generated fulltext foreign float explain exit each dual drop double div describe desc delayed declare cursor
	cume_dist cube create convert continue constraint collate character char change call both blob binary bigint asc`

// TestColumns shows that these names are taken wherever a column may stand.
func TestColumns(t *testing.T) {
	forms := []string{
		"SELECT % FROM lake.ops.t", "SELECT x.% FROM lake.ops.t x", "SELECT 1 AS %", "SELECT count(1) %",
		"SELECT %, % AS %, t.% FROM lake.ops.t", "SELECT sum(%) FROM lake.ops.t", "SELECT 1 FROM lake.ops.t WHERE % = 1 AND 2 > %",
		"SELECT % FROM lake.ops.t GROUP BY % HAVING max(%) > 1 ORDER BY % DESC, %", "SELECT %.x, x.%.y, %.% FROM lake.ops.t x",
		"SELECT max(%) OVER (PARTITION BY % ORDER BY %) FROM lake.ops.t", "SELECT %['k'] FROM lake.ops.t",
		"SELECT CASE % WHEN 1 THEN % ELSE % END, -%, % + %, (%) FROM lake.ops.t",
		"SELECT 1 FROM lake.ops.t WHERE % IS NULL OR % IN (1, %) OR % BETWEEN % AND % OR NOT (%)",
		"SELECT lake.ops.t.%, lake.ops.t.%.x FROM lake.ops.t", "SELECT 1 FROM lake.ops.t AS % WHERE %.a = 1",
		"SELECT % FROM lake.ops.% JOIN lake.a.b USING (%)", "CALL lake.system.p(% => 1)",
	}
	p := NewParser(lake{}, recorder{})
	for word := range strings.FieldsSeq(metadataColumns) {
		for _, form := range forms {
			query := strings.ReplaceAll(form, "%", word)
			if _, err := p.ParseSimple(query); err != nil {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
}
