"""The results as tables of Markdown."""

import json
import os

import cases

NAMES = {"spark": "Spark 4.1 local[2]", "zamboni": "iceberg-zamboni", "compaction": "iceberg-compaction", "cat": "`cat` of the files", "firn": "Firn"}


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f if line.strip()]


def find(lines, case, engine, version):
    """The last good measurement, or None."""
    good = [l for l in lines if (l["case"], l["engine"], l["version"]) == (case, engine, version) and "error" not in l]
    return good[-1] if good else None


HEAD = """<!-- Written by compare.py. -->
# rewrite_data_files: Firn against others

%s. Two cores, files of eight columns in zstd as Spark writes them, pages of the input in memory. The call only, without the
start of the process; processor seconds tell more than time when the machine is busy. Peak memory is that of the process (Spark:
the JVM, with a heap limit of 8 GB). MB are 10^6 bytes of input; "of Firn" is processor seconds by Firn's. "Rows" compares the
number and a hash of all rows with those before. How to run this is in [compare.py](compare.py), the cases are in [cases.py](cases.py).
"""


def write(path, lines, firn):
    parts = [HEAD % firn]
    for name, case in cases.CASES.items():
        found = {}
        for engine in NAMES:
            version = firn if engine == "firn" else engine
            if line := find(lines, name, engine, version) or last(lines, name, engine, version):
                found[engine] = line
        if found:
            rows = [row(NAMES[e], line, found.get("firn")) for e, line in found.items()]
            parts.append("\n## %s: %s\n\n| | s | processor s | of Firn | peak MB | MB/s per core | files | MB out | rows | load |\n"
                         "|---|---|---|---|---|---|---|---|---|---|\n%s\n" % (name, case.doc, "\n".join(rows)))
    with open(path, "w") as f:
        f.write("".join(parts))


def last(lines, case, engine, version):
    """The last measurement that failed."""
    all_ = [l for l in lines if (l["case"], l["engine"], l["version"]) == (case, engine, version)]
    return all_[-1] if all_ else None


def row(name, line, ours):
    if "error" in line:
        return "| %s | failed: %s |%s" % (name, line["error"].replace("|", "/"), " |" * 8)
    ratio = "%.1f" % (line["cpu"] / ours["cpu"]) if ours and ours.get("cpu") else ""
    speed = "%.0f" % (line["bytes_in"] / 1e6 / line["cpu"]) if line.get("bytes_in") and line["cpu"] else ""
    out = ["%d → %d" % (line["files_in"], line["files_out"]), "%.1f" % (line["bytes_out"] / 1e6), line["rows"]] if "rows" in line else [""] * 3
    cells = [name, "%.2f" % line["seconds"], "%.2f" % line["cpu"], ratio, format(line["peak_mb"], ","), speed, *out, "%.1f" % line["load"]]
    return "| %s |" % " | ".join(cells)
