package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyReads shows that nothing but procedures changes anything.
func TestOnlyReads(t *testing.T) {
	c := serve(t, Config{})
	db := c.open("", "", "lake.ops")
	for _, query := range []string{
		"INSERT INTO chain VALUES (1, 'a', 'b')", "INSERT INTO lake.ops.chain VALUES (1, 'a', 'b')", "REPLACE INTO chain VALUES (1)",
		"UPDATE chain SET id = 1", "DELETE FROM chain", "DELETE FROM lake.ops.chain", "TRUNCATE TABLE chain",
		"MERGE INTO lake.ops.chain USING lake.ops.empty ON true WHEN MATCHED THEN DELETE",
		"CREATE TABLE t (a INT)", "CREATE TABLE lake.ops.t (a INT) USING iceberg", "CREATE TEMPORARY TABLE t (a INT)",
		"CREATE VIEW v AS SELECT 1", "CREATE DATABASE d", "CREATE NAMESPACE lake.d", "CREATE USER u IDENTIFIED BY 'p'",
		"CREATE PROCEDURE p() SELECT 1", "ALTER TABLE chain ADD COLUMN c INT", "ALTER TABLE lake.ops.chain CREATE BRANCH b",
		"DROP TABLE chain", "DROP TABLE lake.ops.chain", "DROP DATABASE `lake.ops`", "GRANT ALL ON *.* TO u",
		"LOAD DATA INFILE '/etc/hosts' INTO TABLE chain", "EXPLAIN INSERT INTO chain VALUES (1)", "PREPARE s FROM 'DELETE FROM chain'",
		"SELECT * FROM chain INTO OUTFILE '" + filepath.Join(t.TempDir(), "out") + "'",
		"SELECT 1 INTO DUMPFILE '" + filepath.Join(t.TempDir(), "out") + "'",
	} {
		_, err := queryRows(db, query)
		if num, _ := errno(t, err); num != codeReadOnly {
			t.Errorf("%s: %v, want number %d", query, err, codeReadOnly)
		}
	}
	if got := c.query("SELECT COUNT(*) > 0 FROM lake.ops.chain"); got[0] != "1" {
		t.Errorf("rows left: %v", got)
	}
}

// TestNoFiles shows that statements cannot read files of the server.
func TestNoFiles(t *testing.T) {
	c := serve(t, Config{})
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.want("SELECT LOAD_FILE('"+path+"')", "NULL")
	for _, set := range []string{"SET GLOBAL secure_file_priv = ''", "SET @@secure_file_priv = ''"} {
		if _, err := queryRows(c.db, set); err == nil {
			t.Errorf("%s is allowed", set)
		}
	}
}

// TestExplainAggregates shows that the plan of a query of one row has all its
// lines.
func TestExplainAggregates(t *testing.T) {
	c := serve(t, Config{})
	for _, query := range []string{"SELECT COUNT(*) FROM lake.ops.chain", "SELECT MAX(id) FROM lake.ops.chain WHERE id < 5", "SELECT COUNT(*) FROM lake.ops.chain.files"} {
		if lines := c.query("EXPLAIN " + query); len(lines) < 3 {
			t.Errorf("EXPLAIN %s: %q", query, lines)
		}
	}
}

func TestVersionsAreNoParameters(t *testing.T) {
	c := serve(t, Config{})
	for _, query := range []string{
		"SELECT COUNT(*) FROM `lake.ops`.chain AS OF ?",
		"SELECT * FROM (SELECT 1 FROM `lake.ops`.chain AS OF ?) q",
	} {
		_, err := queryRows(c.db, query, "main")
		if num, state := errno(t, err); num != 1235 || state != "42000" {
			t.Errorf("%s ends with %v, want number 1235 (42000)", query, err)
		}
	}
}

// TestManyUnions shows that what the engine would analyze for minutes is refused.
func TestManyUnions(t *testing.T) {
	c := serve(t, Config{})
	db := c.open("", "", "lake.ops")
	if _, err := queryRows(db, "SELECT 1"+strings.Repeat(" UNION ALL SELECT 1", 20)); err != nil {
		t.Error(err)
	}
	_, err := queryRows(db, "SELECT 1"+strings.Repeat(" UNION ALL SELECT 1", maxSetOps+1))
	if num, _ := errno(t, err); num != 1064 {
		t.Errorf("%v, want number 1064", err)
	}
}
