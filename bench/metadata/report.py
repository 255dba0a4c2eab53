"""The results as a table of Markdown."""

import json
import os

import queries


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip()]


def find(lines, files, query, engine, version):
    """The last good measurement, or None."""
    good = [l for l in lines if (l["files"], l["query"], l["engine"]) == (files, query, engine) and "error" not in l]
    if engine == "firn":
        good = [l for l in good if l["version"] == version]
    return good[-1] if good else None


HEAD = """<!-- Written by compare.py. -->
# Metadata tables: Firn against Spark

%s and Spark local[2] with Iceberg 1.12 on the same tables: 20 columns with statistics, 200 manifests, ten appends, 90 days as
partitions, no data. Seconds cold (first time in a new, connected process; in parentheses processor seconds, which tell more when the
machine is busy) and warm (third time), peak memory of the process (Spark: JVM and Python; heap limit 4 GB). The files' pages are
in memory. Of a `SELECT *` of files Firn sends the rows to a client, which counts them, Spark makes and drops them (its `noop`
sink); up to %s files they are compared afterwards. All other answers are compared. A ratio is Spark's time by Firn's.

The statements are in [queries.py](queries.py), how to run this in [compare.py](compare.py).
"""


def write(path, lines, firn):
    parts = [HEAD % (firn, format(queries.COMPARED, ","))]
    for files in sorted({l["files"] for l in lines}):
        rows = [row for query in queries.ALL if (row := row_of(lines, files, query, firn))]
        if rows:
            parts.append("\n## %s files\n\n| | Spark cold | warm | MB | Firn cold | warm | MB | ratio cold | warm | rows |\n"
                         "|---|---|---|---|---|---|---|---|---|---|\n%s\n" % (format(files, ","), "\n".join(rows)))
    with open(path, "w") as f:
        f.write("".join(parts))


def row_of(lines, files, query, firn):
    spark, ours = (find(lines, files, query, engine, firn) for engine in ("spark", "firn"))
    if not spark and not ours:
        return None
    ratios = ["", ""]
    if spark and ours:
        ratios = ["%.1f" % (spark["seconds"][i] / ours["seconds"][i]) for i in (0, -1)]
    cells = [query] + figures(spark) + figures(ours) + ratios + [agreement(spark, ours)]
    return "| %s |" % " | ".join(cells)


def figures(line):
    if not line:
        return ["", "", ""]
    return ["%.2f (%.2f)" % (line["seconds"][i], line["processor"][i]) for i in (0, -1)] + [format(line["peak_mb"], ",")]


def agreement(spark, ours):
    rows = format((ours or spark)["rows"], ",")
    if not spark or not ours:
        return rows
    if spark["rows"] != ours["rows"] or spark["digest"] != ours["digest"]:
        return "**DIFFERENT**: %s and %s" % (format(spark["rows"], ","), rows)
    return rows + (" equal" if ours["digest"] else " counted")
