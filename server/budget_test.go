package server

import (
	"strings"
	"testing"
)

// TestMemoryLimits runs queries that hold too much, and after each one that does
// not, on one connection.
func TestMemoryLimits(t *testing.T) {
	c := serve(t, Config{Memory: MemoryLimits{Rows: 100}})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const events = "lake.tutorial.retail_clickstream_events" // 400 rows
	for _, query := range []string{
		"SELECT * FROM " + events + " ORDER BY price",
		"SELECT * FROM " + events + " ORDER BY price LIMIT 300",
		"SELECT DISTINCT event_time, price, user_id FROM " + events,
		"SELECT event_time, COUNT(*) FROM " + events + " GROUP BY event_time",
		"SELECT event_time, COUNT(DISTINCT price) + RAND() FROM " + events + " GROUP BY event_time, RAND()",
		"SELECT COUNT(DISTINCT event_time) FROM " + events,
		"SELECT GROUP_CONCAT(price) FROM " + events,
		"SELECT COUNT(*) FROM " + events + " a JOIN " + events + " b ON a.user_id = b.user_id",
		"SELECT COUNT(*) FROM " + events + " a, " + events + " b",
		"SELECT event_time, price FROM " + events + " UNION SELECT event_time, price + 1 FROM " + events,
		"SELECT price, ROW_NUMBER() OVER (ORDER BY price) FROM " + events,
		"SELECT COUNT(DISTINCT event_time, price) FROM " + events,
		"SELECT COUNT(DISTINCT event_time) + RAND() FROM " + events + " HAVING RAND() < 2",
		"SELECT price IN (SELECT price FROM " + events + ") FROM " + events,
		"SELECT price NOT IN (SELECT price FROM " + events + ") OR RAND() < 2 FROM " + events,
		"SELECT (SELECT price FROM " + events + ")",
		"SELECT COUNT(*) FROM " + events + " a FULL OUTER JOIN " + events + " b ON a.user_id = b.user_id",
		"SELECT COUNT(*) FROM " + events + " a FULL OUTER JOIN " + events + " b ON a.user_id < b.user_id",
		"SELECT (SELECT COUNT(*) FROM " + events + " a FULL OUTER JOIN " + events + " b ON a.user_id = b.user_id) FROM " + events,
		"SELECT SUM(price) OVER (PARTITION BY user_id) FROM " + events,
		"SELECT size(collect_list(price)) FROM " + events,
		"SELECT size(collect_set(event_time)) FROM " + events,
		"SELECT approx_count_distinct(event_time) FROM " + events,
		"SELECT percentile(price, 0.5) FROM " + events,
		"SELECT mode(event_time) FROM " + events,
		"SELECT string_agg(event_time) FROM " + events,
		"SELECT price FROM " + events + " INTERSECT SELECT price FROM " + events,
	} {
		got, err := queryRows(conn, query)
		if err == nil {
			t.Errorf("%s: got %d rows, want an error", query, len(got))
			continue
		}
		num, state := errno(t, err)
		if num != codeMemory || state != "HY000" || !strings.Contains(err.Error(), "max-rows-in-memory") {
			t.Errorf("%s: %v", query, err)
		}
		for fits, want := range map[string]int{
			"SELECT * FROM " + events + " ORDER BY price LIMIT 90": 90,
			"SELECT * FROM " + events:                              400,
			"SELECT user_id, COUNT(*) FROM " + events + " GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT 3":                                                          3,
			"SELECT COUNT(*) FROM " + events + " x WHERE EXISTS (SELECT 1 FROM lake.tutorial.retail_clickstream_events.files f WHERE f.record_count = x.price)": 1,
		} {
			got, err := queryRows(conn, fits)
			if err != nil || len(got) != want {
				t.Errorf("after %s: %s has %d rows (%v), want %d", query, fits, len(got), err, want)
			}
		}
	}
}

func TestByteLimit(t *testing.T) {
	c := serve(t, Config{Memory: MemoryLimits{Bytes: 10_000}})
	const events = "lake.tutorial.retail_clickstream_events"
	_, err := queryRows(c.db, "SELECT * FROM "+events+" ORDER BY price")
	if num, _ := errno(t, err); num != codeMemory || !strings.Contains(err.Error(), "10000 bytes, the limit max-bytes-in-memory") {
		t.Errorf("got %v", err)
	}
	c.want("SELECT COUNT(*) FROM "+events, "400")
}

// TestCorrelatedSubqueriesGiveBack: what a subquery held is free again when it
// ends, however often it runs.
func TestCorrelatedSubqueriesGiveBack(t *testing.T) {
	c := serve(t, Config{Memory: MemoryLimits{Rows: 25}})
	const files = "lake.tutorial.retail_clickstream_events.files" // 10 rows
	for _, inner := range []string{
		"SELECT MAX(record_count) FROM " + files + " f WHERE f.file_size_in_bytes >= x.file_size_in_bytes GROUP BY f.content ORDER BY 1 LIMIT 1",
		"SELECT DISTINCT content FROM " + files + " f WHERE f.file_size_in_bytes >= x.file_size_in_bytes",
		"SELECT f.file_path FROM " + files + " f WHERE f.file_size_in_bytes >= x.file_size_in_bytes ORDER BY 1 LIMIT 1",
	} {
		if _, err := queryRows(c.db, "SELECT x.file_path, ("+inner+") FROM "+files+" x"); err != nil {
			t.Errorf("%s: %v", inner, err)
		}
	}
}

// TestCrossJoinIsKilled ends a join that finds nothing for a very long time.
func TestCrossJoinIsKilled(t *testing.T) {
	c := serve(t, Config{})
	conn, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	id := queryOne(t, conn, "SELECT CONNECTION_ID()")
	const events = "lake.tutorial.retail_clickstream_events"
	done := make(chan error, 1)
	go func() {
		_, err := queryRows(conn, "SELECT COUNT(*) FROM "+events+" a, "+events+" b, "+events+" c, "+events+" d, "+events+" e WHERE a.price + b.price + c.price + d.price + e.price < 0")
		done <- err
	}()
	for {
		if running := c.query("SHOW PROCESSLIST"); strings.Contains(strings.Join(running, "\n"), "a.price + b.price") {
			break
		}
	}
	c.query("KILL QUERY " + id)
	if err := <-done; err == nil {
		t.Error("the killed query has an answer")
	} else if num, _ := errno(t, err); num != 1317 {
		t.Errorf("got %v", err)
	}
	c.want("SELECT COUNT(*) FROM "+events, "400")
}

func queryOne(t *testing.T, db queryer, query string) string {
	t.Helper()
	rows, err := queryRows(db, query)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%s: %v %v", query, rows, err)
	}
	return rows[0]
}
