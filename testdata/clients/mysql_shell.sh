#!/usr/bin/env bash
# The tutorial through the mysql or mariadb shell: mysql_shell.sh HOST PORT.
set -euo pipefail
shell=$(command -v mariadb || command -v mysql)
plain=--skip-ssl
if "$shell" --help | grep -q -- --ssl-mode; then plain=--ssl-mode=DISABLED; fi

options=(--host "$1" --port "$2" --user root --protocol tcp $plain --batch --skip-column-names)

# sql STATEMENT: the rows, tab separated, without names.
sql() { "$shell" "${options[@]}" --execute "$1"; }

want() { # want WHAT EXPECTED GOT
	if [ "$2" != "$3" ]; then
		printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3" >&2
		exit 1
	fi
}

want "databases" $'oleander.lakehouse\noleander.tutorial' "$(sql 'SHOW DATABASES' | grep -Ex 'oleander\.(lakehouse|tutorial)' | sort)"
want "files of January 10" $'3\t60' "$(sql "SELECT COUNT(*), SUM(record_count) FROM oleander.tutorial.retail_clickstream_events.files
WHERE content = 0 AND partition.event_time_day = DATE '2026-01-10'")"
want "partitions" $'{"event_time_day": "2026-01-10"}\t3' "$(sql 'SELECT partition, COUNT(*) AS file_count FROM
oleander.tutorial.retail_clickstream_events.files GROUP BY partition ORDER BY file_count DESC LIMIT 1' | sed 's/":"/": "/')"

# A script from standard input, with comments and several statements.
got=$("$shell" "${options[@]}" <<'SQL'
USE oleander.tutorial;
-- the day has three files
CALL oleander.system.rewrite_data_files(table => 'tutorial.retail_clickstream_events', strategy => 'binpack',
  options => map('target-file-size-bytes', '268435456', -- 256 MB
                 'min-input-files', '2'),
  where => 'event_time >= TIMESTAMP "2026-01-10T00:00:00Z" AND event_time < TIMESTAMP "2026-01-11T00:00:00Z"');
/* nothing is left to do */
call oleander.SYSTEM.Rewrite_Data_Files('tutorial.retail_clickstream_events', where => 'event_time >= TIMESTAMP "2026-01-10T00:00:00Z"');
SELECT COUNT(*) FROM retail_clickstream_events;
SQL
)
want "script" $'3 1\n0 0\n265' "$(echo "$got" | cut -f 1,2 | tr '\t' ' ')"

want "expiry" "3" "$(sql "CALL oleander.system.expire_snapshots(table => 'tutorial.retail_clickstream_events',
older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)" | cut -f 1)"
want "an event" $'evt_stream_000002\tadd_to_cart\t2026-01-09 09:01:22.000000' "$(sql "SELECT event_id, event_type, event_time
FROM oleander.tutorial.retail_clickstream_events WHERE event_id = 'evt_stream_000002'" | sed 's/:22$/:22.000000/')"
want "procedure" "1" "$(sql 'DESCRIBE PROCEDURE oleander.system.expire_snapshots' | grep -c retain_last)"
want "plan" "0" "$(sql "EXPLAIN CALL oleander.system.rewrite_data_files('tutorial.retail_clickstream_events')" | grep -c '^rewrite' || true)"

# refused STATEMENT NUMBER
refused() {
	if got=$(sql "$1" 2>&1); then want "$1" "an error" "$got"; fi
	want "$1" "ERROR $2" "$(echo "$got" | grep -o '^ERROR [0-9]*')"
}
refused "SELECT * FROM oleander.tutorial.nope" 1146
refused "CALL oleander.system.nope()" 1305
refused "CALL oleander.system.expire_snapshots('tutorial.retail_clickstream_events', retain_last => 0)" 1210
refused "SELEC 1" 1064
