package lakefixture

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/iceberg-go/table"
)

// original is the lake as Spark wrote it, whatever a test did since.
type original struct {
	store     *store
	locations map[string]string // of the tables' metadata, by lower-case dotted name
}

func readOriginal(dir string) (*original, error) {
	objects, err := newStore(dir)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "catalog.db")+"?mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query("SELECT table_namespace || '.' || table_name, metadata_location FROM iceberg_tables WHERE iceberg_type = 'TABLE'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	o := &original{store: objects, locations: map[string]string{}}
	for rows.Next() {
		var name, location string
		if err := rows.Scan(&name, &location); err != nil {
			return nil, err
		}
		o.locations[strings.ToLower(name)] = location
	}
	return o, rows.Err()
}

// table is a table as Spark wrote it.
func (o *original) table(ident table.Identifier) (*table.Table, error) {
	location, ok := o.locations[strings.ToLower(strings.Join(ident, "."))]
	if !ok {
		return nil, fmt.Errorf("the lake has no table %q", ident)
	}
	return view{o.store}.tableAt(ident, location)
}

// tables lists the names of the tables that Spark wrote, as
// namespace and table.
func (o *original) tables() []table.Identifier {
	var idents []table.Identifier
	for name := range o.locations {
		idents = append(idents, strings.Split(name, "."))
	}
	return idents
}
