"""The tutorial through PyMySQL: python_pymysql.py HOST PORT."""

import datetime
import decimal
import json
import sys

import pymysql
import pymysql.cursors

TABLE = "oleander.tutorial.retail_clickstream_events"


def main():
    conn = pymysql.connect(host=sys.argv[1], port=int(sys.argv[2]), user="root", charset="utf8mb4")
    with conn, conn.cursor() as cursor:
        look(cursor)
        health(cursor)
        compact(cursor)
        refuse(cursor)
    with pymysql.connect(
        host=sys.argv[1], port=int(sys.argv[2]), user="root", cursorclass=pymysql.cursors.DictCursor
    ) as conn, conn.cursor() as cursor:
        by_name(cursor)


def ask(cursor, statement, args=None):
    cursor.execute(statement, args)
    return cursor.fetchall()


def want(what, expected, got):
    if expected != got:
        raise SystemExit("%s: want %r, got %r" % (what, expected, got))


def look(cursor):
    databases = {row[0] for row in ask(cursor, "SHOW DATABASES")}
    want("databases", {"oleander.tutorial", "oleander.lakehouse"}, databases & {"oleander.tutorial", "oleander.lakehouse"})
    ask(cursor, "USE oleander.tutorial")
    want("tables", (("retail_clickstream_events",),), ask(cursor, "SHOW TABLES"))
    ask(cursor, "USE `oleander.tutorial`")
    columns = [row[0] for row in ask(cursor, "DESCRIBE retail_clickstream_events")]
    want("columns", ["event_id", "user_id", "session_id", "event_type", "product_id", "price", "event_time", "ingestion_time"],
         columns)
    create = ask(cursor, "SHOW CREATE TABLE %s" % TABLE)[0][1]
    want("partitioning in SHOW CREATE TABLE", True, "days(event_time)" in create)


def health(cursor):
    rows = ask(cursor, """
        SELECT file_path, record_count, file_size_in_bytes, `partition`
        FROM oleander.tutorial.retail_clickstream_events.files
        WHERE content = 0 AND partition.event_time_day = DATE '2026-01-10' ORDER BY file_path""")
    want("files of January 10", 3, len(rows))
    want("their records", 60, sum(row[1] for row in rows))
    want("a partition", {"event_time_day": "2026-01-10"}, json.loads(rows[0][3]))
    rows = ask(cursor, """
        select count(*), round(avg(file_size_in_bytes) / 1048576, 2), min(file_size_in_bytes), max(file_size_in_bytes),
          sum(case when file_size_in_bytes < 134217728 then 1 else 0 end)
        from oleander.tutorial.retail_clickstream_events.files""")
    want("files", 5, rows[0][0])
    want("small files", 5, int(rows[0][4]))
    rows = ask(cursor, "SELECT event_id, price, event_time FROM %s WHERE event_id = %%s" % TABLE, ("evt_stream_000001",))
    want("an event", (("evt_stream_000001", decimal.Decimal("6.36"), datetime.datetime(2026, 1, 9, 9, 0, 41)),), rows)


def compact(cursor):
    call = """
        CALL oleander.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'binpack',
          options => map('min-input-files', '2'), -- the day has three
          where => 'event_time >= TIMESTAMP "2026-01-10T00:00:00Z" AND event_time < TIMESTAMP "2026-01-11T00:00:00Z"')"""
    before = ask(cursor, "SELECT * FROM %s ORDER BY event_id" % TABLE)
    want("what it would do", True, len(ask(cursor, "EXPLAIN" + call)) > 0)
    rewritten, added, _, failed, _ = ask(cursor, call)[0]
    want("first rewrite", (3, 1, 0), (rewritten, added, failed))
    want("second rewrite", (0, 0, 0, 0, 0), ask(cursor, call)[0])
    want("the rows", before, ask(cursor, "SELECT * FROM %s ORDER BY event_id" % TABLE))
    expire = ask(cursor, "CALL oleander.system.expire_snapshots('tutorial.retail_clickstream_events', "
                         "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)")
    want("expired data files", 3, expire[0][0])
    want("counts", 6, len(expire[0]))
    want("the rows still", before, ask(cursor, "SELECT * FROM %s ORDER BY event_id" % TABLE))


def refuse(cursor):
    for statement, number in (
        ("SELECT * FROM oleander.tutorial.nope", 1146),
        ("SELECT nope FROM %s" % TABLE, 1054),
        ("USE oleander.nope", 1049),
        ("CALL oleander.system.nope()", 1305),
        ("CALL oleander.system.rewrite_data_files(tabel => 'x')", 1210),
        ("SELEC 1", 1064),
    ):
        try:
            ask(cursor, statement)
        except pymysql.MySQLError as e:
            want(statement, number, e.args[0])
        else:
            raise SystemExit("%s: not refused" % statement)


def by_name(cursor):
    rows = ask(cursor, "SELECT snapshot_id, committed_at, operation, summary FROM %s.snapshots "
                       "ORDER BY committed_at DESC LIMIT 20" % TABLE)
    want("operation", "replace", rows[0]["operation"])
    want("type of committed_at", datetime.datetime, type(rows[0]["committed_at"]))
    want("summary", "3", json.loads(rows[0]["summary"])["deleted-data-files"])
    names = {row["procedure_name"] for row in ask(cursor, "SHOW PROCEDURES")}
    want("procedures", {"expire_snapshots", "rewrite_data_files"}, names & {"expire_snapshots", "rewrite_data_files"})


main()
