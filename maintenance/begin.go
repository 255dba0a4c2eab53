package maintenance

import (
	"github.com/apache/iceberg-go/table"

	"github.com/firndb/firn/maintenance/journal"
)

// Begin tells the journal that a job on a table begins, and returns what the job
// takes from outside with its entry there. When the job returns, with an error
// or without, it is to end the entry; when it panics, not.
func Begin(env Env, tbl *table.Table, procedure string) Env {
	env = begin(env, procedure)
	describe(env, tbl)
	return env
}

// begin is Begin for a job that has yet to load its table and describe it.
func begin(env Env, procedure string) Env {
	about := journal.Subject{Procedure: procedure}
	if env.Catalog != nil {
		about.Catalog = env.Catalog.Name()
	}
	env.Run = env.Journal.Begin(about)
	return env
}

// describe tells the entry which table the job is about.
func describe(env Env, tbl *table.Table) {
	env.Run.Describe(tbl.Identifier(), tbl.Metadata().TableUUID().String(), places(tbl))
}
