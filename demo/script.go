package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firndb/firn/shell"
)

// step is one statement of the tutorial and what must hold of its result.
type step struct {
	// says introduces the statement; empty continues the one before.
	says string
	// text makes the statement, which may depend on earlier results.
	text  text
	check check
}

type text func() string

// plain is a statement that depends on nothing.
func plain(s string) text { return func() string { return s } }

// check looks at a result and at those of the steps before, by their name.
type check func(got shell.Result) error

// tutorial is the script, in order. Catalog and tables have the names that
// Prepare gives them.
func tutorial(m *notes) []step {
	return slices.Concat(look(m), compact(m), clean(m), maintain())
}

const janNinth = `event_time >= TIMESTAMP "2026-01-09T00:00:00Z" AND event_time < TIMESTAMP "2026-01-10T00:00:00Z"`

const streamed = `SELECT event_id, event_type, event_time, ingestion_time
FROM oleander.tutorial.retail_clickstream_events
WHERE event_id IN ('evt_stream_000001', 'evt_stream_000002', 'evt_stream_000003', 'evt_stream_000004', 'evt_stream_000005')
ORDER BY event_id`

const perDay = `SELECT partition.event_time_day AS day, COUNT(*) AS files, SUM(record_count) AS records, SUM(file_size_in_bytes) AS bytes
FROM oleander.tutorial.retail_clickstream_events.files
WHERE content = 0
GROUP BY partition.event_time_day ORDER BY day`

// look shows what there is.
func look(m *notes) []step {
	return []step{
		{"What is in the catalog?", plain("SHOW DATABASES"), contains("oleander.tutorial", "oleander.lakehouse")},
		{"", plain("SHOW TABLES IN oleander.tutorial"), contains("retail_clickstream_events")},
		{"", plain("USE oleander.tutorial"), nil},
		{"", plain("DESCRIBE retail_clickstream_events"), contains("event_id", "event_time", "ingestion_time")},
		{"Every metadata table is a table: the files of January 9.", plain(`SELECT file_path, record_count, file_size_in_bytes, partition
FROM oleander.tutorial.retail_clickstream_events.files
WHERE content = 0 AND partition.event_time_day = DATE '2026-01-09' ORDER BY file_path`), rows(5)},
		{"", plain(`SELECT COUNT(*), SUM(record_count), SUM(file_size_in_bytes)
FROM oleander.tutorial.retail_clickstream_events.files
WHERE content = 0 AND partition.event_time_day = DATE '2026-01-09'`), starts("5", "5")},
		{"How healthy are the files?", plain(`SELECT COUNT(*) AS file_count, ROUND(AVG(file_size_in_bytes) / 1048576, 2) AS avg_mb,
  MIN(file_size_in_bytes) AS smallest, MAX(file_size_in_bytes) AS largest,
  SUM(CASE WHEN file_size_in_bytes < 134217728 THEN 1 ELSE 0 END) AS small_files
FROM oleander.lakehouse.order_events.files`), starts(fmt.Sprint(orderDays * orderBatches))},
		{"", plain(`SELECT partition, COUNT(*) AS file_count, SUM(record_count) AS records
FROM oleander.lakehouse.order_events.files GROUP BY partition ORDER BY file_count DESC LIMIT 30`), rows(orderDays)},
		{"", plain(perDay), all(rows(3), m.remember("days before"))},
		{"The five streamed events, before anything is changed.", plain(streamed), all(rows(5), m.remember("streamed"))},
		{"", plain("SELECT snapshot_id FROM oleander.tutorial.retail_clickstream_events.refs WHERE name = 'main'"), m.remember("snapshot")},
	}
}

// compact rewrites small files.
func compact(m *notes) []step {
	rewrite := `CALL oleander.system.rewrite_data_files(
  table => 'tutorial.retail_clickstream_events',
  strategy => 'binpack',
  options => map('min-input-files', '2'),
  where => '` + janNinth + `')`
	return []step{
		{"What would compacting January 9 do? Nothing is changed by asking.", plain("EXPLAIN " + rewrite), contains("rewrite", "commit")},
		{"", plain(perDay), m.same("days before")},
		{"Compact January 9.", plain(rewrite), starts("5", "1")},
		{"Once more: there is nothing left to do.", plain(rewrite), starts("0", "0", "0", "0", "0")},
		{"January 9 has one file; January 8 and 10 are untouched.", plain(perDay), m.onlyChanged("days before", 1, "1")},
		{"The five events read back unchanged.", plain(streamed), m.same("streamed")},
		{"The table as it was before can still be read.", func() string {
			return strings.Replace(streamed, "events\n", "events VERSION AS OF "+m.first("snapshot")+"\n", 1)
		}, m.same("streamed")},
		{"The orders of the last seven days, in files of up to 256 MB.", plain(`CALL oleander.system.rewrite_data_files(
  table => 'lakehouse.order_events',
  strategy => 'binpack',
  where => 'event_time >= current_timestamp() - INTERVAL 7 DAYS',
  options => map('target-file-size-bytes', '268435456', -- 256 MB
                 'min-input-files', '5'))`), positive(0)},
		{"One day, by its date: already compacted, so nothing is rewritten.", plain(`CALL oleander.system.rewrite_data_files(
  table => 'lakehouse.order_events', where => 'event_date = date_sub(current_date(), 2)')`), starts("0", "0")},
		{"", plain(`SELECT partition, COUNT(*) AS file_count FROM oleander.lakehouse.order_events.files
GROUP BY partition ORDER BY file_count DESC LIMIT 30`), rows(orderDays)},
		{"", plain("SELECT COUNT(*), COUNT(DISTINCT order_id) FROM oleander.lakehouse.order_events"), starts(orderCount(), orderCount())},
	}
}

// clean expires old snapshots.
func clean(m *notes) []step {
	expire := `CALL oleander.system.expire_snapshots(
  table => 'tutorial.retail_clickstream_events', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)`
	return []step{
		{"The history so far.", plain(`SELECT snapshot_id, committed_at, operation, summary
FROM oleander.tutorial.retail_clickstream_events.snapshots ORDER BY committed_at DESC LIMIT 20`), rows(10)},
		{"", plain("SELECT path, length, added_data_files_count, existing_data_files_count, deleted_data_files_count FROM oleander.tutorial.retail_clickstream_events.manifests"), nil},
		{"Nothing is older than October 1, and ten snapshots are kept in any case.", plain(`CALL oleander.system.expire_snapshots(
  table => 'tutorial.retail_clickstream_events', older_than => TIMESTAMP '2026-10-01 00:00:00', retain_last => 10)`), starts("0", "0", "0", "0", "0", "0")},
		{"What would expiring all but the current snapshot delete?", plain("EXPLAIN " + expire), contains("expire", "delete")},
		{"Expire them: the five small files of January 9 go with their snapshots.", plain(expire), starts("5", "0", "0")},
		{"", plain(streamed), m.same("streamed")},
		{"What else can be called?", plain("SHOW PROCEDURES"), contains("rewrite_data_files", "expire_snapshots")},
		{"", plain("DESCRIBE PROCEDURE oleander.system.expire_snapshots"), contains("older_than", "retain_last")},
	}
}

// maintain does for the orders whatever there is to do, in one call.
func maintain() []step {
	call := `CALL oleander.system.maintain(
  'lakehouse.order_events', older_than => TIMESTAMP '2100-01-01 00:00:00', options => map('min-input-files', '2'))`
	return []step{
		{"The whole chain in one call: what is worth doing for the orders, and why?", plain("EXPLAIN " + call), contains("rewrite_manifests", "expire_snapshots", "remove_orphan_files")},
		{"", plain(call), contains("expire_snapshots", "done")},
		{"Once more: every step is skipped, with its reason.", plain(call), each(1, "skipped")},
		{"", plain("SELECT COUNT(*), COUNT(DISTINCT order_id) FROM oleander.lakehouse.order_events"), starts(orderCount(), orderCount())},
	}
}

func orderCount() string { return fmt.Sprint(orderDays * orderBatches * ordersPerBatch) }
