package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/firndb/firn/internal/lakefixture"
)

// golden is the part of Spark's answers about a table that is read here.
type golden struct {
	ShowCreate answer `json:"show_create"`
	Properties answer `json:"properties"`
}

type answer struct {
	Rows [][]string `json:"rows"`
}

func TestShowCreateTableAndPropertiesAreSparks(t *testing.T) {
	c := serve(t, Config{})
	files, err := filepath.Glob(filepath.Join(lakefixture.Testdata(t), "golden", "*.*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want golden
		if err := json.Unmarshal(content, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(want.ShowCreate.Rows) != 1 || !strings.HasPrefix(want.ShowCreate.Rows[0][0], "CREATE TABLE") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := &client{t: t, db: c.db}
			got := c.query("SHOW CREATE TABLE lake." + name)
			_, text, _ := strings.Cut(got[0], " | ")
			if diff := cmp.Diff(want.ShowCreate.Rows[0][0], text); diff != "" {
				t.Errorf("SHOW CREATE TABLE (-want +got)\n%s", diff)
			}
			var properties []string
			for _, row := range want.Properties.Rows {
				properties = append(properties, strings.Join(row, " | "))
			}
			if diff := cmp.Diff(properties, c.query("SHOW TBLPROPERTIES lake."+name)); diff != "" {
				t.Errorf("SHOW TBLPROPERTIES (-want +got)\n%s", diff)
			}
		})
	}
}
