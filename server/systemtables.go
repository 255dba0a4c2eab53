package server

import (
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/firndb/firn/maintenance/journal"
)

// systemTables are the tables of the namespace system, the same in every
// catalog. A table of a catalog's own namespace system goes first.
type systemTables struct {
	operations *operations
	journal    *journal.Journal
}

// systemDatabase is the namespace system where a catalog has none.
type systemDatabase struct {
	name   string
	tables systemTables
}

var _ sql.ReadOnlyDatabase = systemDatabase{}

// Name implements sql.Database.
func (d systemDatabase) Name() string { return d.name }

// IsReadOnly implements sql.ReadOnlyDatabase.
func (d systemDatabase) IsReadOnly() bool { return true }

// GetTableNames implements sql.Database.
func (d systemDatabase) GetTableNames(*sql.Context) ([]string, error) {
	return []string{"journal", "progress"}, nil
}

// GetTableInsensitive implements sql.Database.
func (d systemDatabase) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	table := d.tables.get(name)
	return table, table != nil, nil
}

// get is the table of a name, nil if there is none.
func (t systemTables) get(name string) sql.Table {
	switch strings.ToLower(name) {
	case "progress":
		return &infoTable{name: "progress", schema: progressSchema(), rows: t.inZone(t.operations.rows)}
	case "journal":
		return &infoTable{name: "journal", schema: journalSchema(), rows: t.inZone(t.journalRows)}
	}
	return nil
}

// inZone gives rows the session's time zone.
func (systemTables) inZone(rows func(*time.Location) []sql.Row) func(*sql.Context, wanted) ([]sql.Row, error) {
	return func(ctx *sql.Context, _ wanted) ([]sql.Row, error) {
		zone, err := zoneOf(ctx)
		if err != nil {
			return nil, err
		}
		return rows(zone), nil
	}
}

// isSystem says whether parts name the namespace system, of the default catalog
// or another.
func (p *provider) isSystem(parts []string) bool {
	last := parts[len(parts)-1]
	return strings.EqualFold(last, systemNamespace) && (len(parts) == 1 || len(parts) == 2 && p.set.Has(parts[0]))
}

// journalSchema are the columns of system.journal.
func journalSchema() sql.Schema {
	return sql.Schema{
		textColumn("run_id", false), textColumn("procedure_name", false), textColumn("catalog", false), textColumn("table_name", false),
		{Name: "started_at", Type: types.DatetimeMaxPrecision},
		{Name: "changed_at", Type: types.DatetimeMaxPrecision},
		{Name: "checked_at", Type: types.DatetimeMaxPrecision, Nullable: true},
		textColumn("state", false), textColumn("snapshots", true), textColumn("names", true), textColumn("note", true),
	}
}

// journalRows are the rows of system.journal, oldest first.
func (t systemTables) journalRows(zone *time.Location) []sql.Row {
	entries := t.journal.Entries()
	rows := make([]sql.Row, len(entries))
	for i, e := range entries {
		var snapshots []string
		for _, a := range e.Attempts {
			if a.Snapshot != 0 {
				snapshots = append(snapshots, strings.TrimSpace(strconv.FormatInt(a.Snapshot, 10)+" "+string(a.Outcome)))
			}
		}
		var checked any
		if !e.Checked.IsZero() {
			checked = wall(e.Checked, zone)
		}
		rows[i] = sql.Row{
			e.ID, e.Procedure, e.Catalog, strings.Join(e.Table, "."), wall(e.Started, zone), wall(e.Changed, zone), checked,
			string(e.State), orNull(strings.Join(snapshots, ", ")), orNull(strings.Join(e.Names, ", ")), orNull(e.Note),
		}
	}
	return rows
}
