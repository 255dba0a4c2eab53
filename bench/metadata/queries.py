"""The statements that both engines run on the table {t}, and what is done with the rows."""

import collections

Query = collections.namedtuple("Query", "text whole")

# The rows of a whole query are many: while time is taken they are counted and thrown away, and answers are compared afterwards,
# of tables of at most COMPARED files.
COMPARED = 2000

ALL = {
    "count": Query("SELECT COUNT(*) FROM {t}.files", False),
    "health": Query(
        "SELECT COUNT(*), ROUND(AVG(file_size_in_bytes) / 1048576, 2), MIN(file_size_in_bytes), MAX(file_size_in_bytes),"
        " SUM(CASE WHEN file_size_in_bytes < 134217728 THEN 1 ELSE 0 END) FROM {t}.files WHERE content = 0", False),
    "per partition": Query(
        "SELECT partition, COUNT(*) AS n, AVG(file_size_in_bytes) FROM {t}.files WHERE content = 0"
        " GROUP BY partition ORDER BY n DESC, partition LIMIT 30", False),
    "one partition of ninety": Query(
        "SELECT COUNT(*), SUM(record_count) FROM {t}.files WHERE content = 0 AND partition.event_time_day = DATE '2026-02-14'", False),
    "readable_metrics": Query("SELECT MAX(readable_metrics.c2.upper_bound) FROM {t}.files", False),
    ".partitions": Query("SELECT * FROM {t}.partitions", False),
    ".manifests": Query("SELECT * FROM {t}.manifests", False),
    "SELECT * of .files": Query("SELECT * FROM {t}.files", True),
    "SELECT * of .all_data_files": Query("SELECT * FROM {t}.all_data_files", True),
}
