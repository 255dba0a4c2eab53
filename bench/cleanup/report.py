"""The results as a table of Markdown."""

import json
import os

import cases


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip()]


def find(lines, case, engine, version, by):
    """The last good measurement, or None."""
    good = [l for l in lines if (l["case"], l["engine"], l["by"]) == (case, engine, by) and "error" not in l]
    if engine == "firn":
        good = [l for l in good if l["version"] == version]
    return good[-1] if good else None


HEAD = """<!-- Written by compare.py. -->
# Cleaning up: Firn against Spark

%s and Spark local[2] with Iceberg 1.12 on the same tables of a Hadoop catalog on the local disk: 20 columns with statistics, 90 days
as partitions, no data%s. Seconds of the first call in a new, connected process (in parentheses processor seconds, which tell more
when the machine is busy), peak memory of the process (Spark: JVM and Python; heap limit 4 GB). The metadata's pages are in memory.
A ratio is Spark's time by Firn's.

The calls are in [cases.py](cases.py), how to run this in [compare.py](compare.py).

| | Spark | MB | Firn | MB | ratio | answers |
|---|---|---|---|---|---|---|
%s
"""


def write(path, lines, firn, by):
    rows = [row for case in cases.ALL if (row := row_of(lines, case, firn, by))]
    size = "" if by == 1 else "; everything is a %dth of what is said below" % by
    with open(path, "w") as f:
        f.write(HEAD % (firn, size, "\n".join(rows)))


def row_of(lines, case, firn, by):
    spark, ours = (find(lines, case, engine, firn, by) for engine in ("spark", "firn"))
    if not spark and not ours:
        return None
    ratio = "%.1f" % (spark["seconds"] / ours["seconds"]) if spark and ours else ""
    return "| %s |" % " | ".join([cases.ALL[case].what] + figures(spark) + figures(ours) + [ratio, agreement(spark, ours)])


def figures(line):
    if not line:
        return ["", ""]
    return ["%.2f (%.2f)" % (line["seconds"], line["processor"]), format(line["peak_mb"], ",")]


def agreement(spark, ours):
    both = [l for l in (spark, ours) if l]
    if len(both) == 2 and spark["digest"] == ours["digest"]:
        return "equal, %s" % shown(ours)
    return "; ".join("%s: %s" % (l["engine"], shown(l)) for l in both)


def shown(line):
    """The row, or how many there are."""
    if line["rows"] == 1:
        return line["first"][0].replace("\t", ", ")
    return "%s rows" % format(line["rows"], ",")
