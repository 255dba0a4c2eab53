package lakefixture

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// View is what AddView makes a view from.
type View struct {
	// Name is the view's name with its namespace.
	Name []string
	// Columns are the names and Iceberg types of the columns.
	Columns [][2]string
	// Dialect and Text are the view's representation.
	Dialect, Text string
	// Catalog and Namespace are where names in Text are looked for.
	Catalog   string
	Namespace []string
}

// AddView puts a view into the catalog, as another program would.
func (l *Lake) AddView(t testing.TB, v View) {
	t.Helper()
	fields := make([]map[string]any, len(v.Columns))
	for i, c := range v.Columns {
		fields[i] = map[string]any{"id": i, "name": c[0], "type": c[1], "required": false}
	}
	name, namespace := v.Name[len(v.Name)-1], v.Name[:len(v.Name)-1]
	location := "s3://" + Bucket + "/wh/" + strings.Join(v.Name, "/")
	metadata, err := json.Marshal(map[string]any{
		"view-uuid": "581bdd10-3825-42f4-87db-7eaaf6a31d6c", "format-version": 1, "location": location,
		"properties":         map[string]string{},
		"schemas":            []any{map[string]any{"type": "struct", "schema-id": 0, "fields": fields}},
		"current-version-id": 1,
		"versions": []any{map[string]any{
			"version-id": 1, "timestamp-ms": 1796009738971, "schema-id": 0, "summary": map[string]string{},
			"default-catalog": v.Catalog, "default-namespace": append([]string{}, v.Namespace...),
			"representations": []any{map[string]string{"type": "sql", "sql": v.Text, "dialect": v.Dialect}},
		}},
		"version-log": []any{map[string]int64{"timestamp-ms": 1796009738971, "version-id": 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("wh/%s/metadata/00000.metadata.json", strings.Join(v.Name, "/"))
	l.Put(key, metadata)
	db, err := sql.Open("sqlite", l.Config.Properties["uri"])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, NULL, 'VIEW')",
		Name, strings.Join(namespace, "."), name, "s3://"+Bucket+"/"+key); err != nil {
		t.Fatal(err)
	}
}
