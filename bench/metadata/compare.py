#!/usr/bin/env python3
"""Queries on metadata tables by Firn and by Spark on the same tables: time cold and warm, peak memory, the same answers.

usage: bench/metadata/compare.py --work FOLDER [--spark FOLDER] [--only TEXT ...] FILES [FILES ...]   (Linux)

FILES are numbers of files; such a table is made below --work if it is not there. --spark is a folder with a virtual environment
`venv` that has pyspark 4.1 and with `jars`; without it only Firn runs. --only takes queries, or an engine, whose name has the
text. What was measured is kept in --work and not measured again, unless with --again. The table of all results is RESULT.md.

Cold is the first time in a process that has connected and run SELECT 1, warm the third. The files' pages are in memory.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import time

import queries
import report
import same

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "internal", "peers"))
import spark
import wire
from process import peak, processor
from server import Server

ROOT = os.path.dirname(os.path.dirname(HERE))
RUNS = 3


def run_firn(args, files, query):
    with Server(args.firn, args.work, args.warehouse, args.firn_flag) as server:
        connection = server.connect(args.limit)
        connection.query("SELECT 1")
        whole, text = queries.ALL[query].whole, queries.ALL[query].text.format(t=table(files))
        seconds, work = [], []
        for _ in range(RUNS):
            before, start = processor(server.pid), time.monotonic()
            columns, rows = connection.query(text, not whole)
            seconds.append(time.monotonic() - start)
            work.append(processor(server.pid) - before)
        result = {"seconds": seconds, "processor": work, "peak_mb": peak(server.pid)}
        if whole and files <= queries.COMPARED:
            columns, rows = connection.query(text)
        if isinstance(rows, list):
            result["rows"], result["digest"] = len(rows), same.digest(same.of_wire(columns, row) for row in rows)
        else:
            result["rows"], result["digest"] = rows, ""
        connection.close()
        return result


def run_spark(args, files, query):
    conf = {"warehouse": args.warehouse, "scratch": os.path.join(args.work, "spark"), "query": query, "table": table(files), "runs": RUNS,
            "whole": queries.ALL[query].whole, "compared": files <= queries.COMPARED}
    return spark.run(args.spark, os.path.join(HERE, "spark_query.py"), conf, os.path.join(args.work, "spark.json"), RUNS * args.limit)


def table(files):
    return "b.bench.f%d" % files


def make(args, files):
    """Makes the table if it is not there."""
    env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-tags=grpcnotrace")
    subprocess.run(["go", "run", "./bench/metadata", "-warehouse", args.warehouse, str(files)], cwd=ROOT, env=env, check=True)


def warm_pages(args, files):
    for path in glob.glob(os.path.join(args.warehouse, "bench", "f%d" % files, "metadata", "*")):
        with open(path, "rb") as f:
            while f.read(1 << 20):
                pass


def measure(args, files, query, engine, version):
    """One line of the results; an engine that fails has its error there."""
    warm_pages(args, files)
    line = {"files": files, "query": query, "engine": engine, "version": version, "when": time.strftime("%F %T"), "load": os.getloadavg()[0]}
    try:
        line.update((run_firn if engine == "firn" else run_spark)(args, files, query))
        print("%9d %-28s %-5s cold %7.2f s, warm %7.2f s, %5d MB" % (files, query, engine, line["seconds"][0], line["seconds"][-1], line["peak_mb"]), flush=True)
    except (wire.Error, RuntimeError, OSError, EOFError, subprocess.TimeoutExpired) as e:
        line["error"] = " ".join(str(e).split())[:200] or type(e).__name__
        print("%9d %-28s %-5s %s" % (files, query, engine, line["error"]), flush=True)
    with open(args.results, "a") as f:
        f.write(json.dumps(line) + "\n")


def wanted(args):
    """The pairs of query and engine, the engines in turn."""
    engines = ["spark", "firn"] if args.spark else ["firn"]
    only_engines = [e for e in engines if e in args.only] or engines
    only_queries = [o for o in args.only if o not in ("spark", "firn")]
    for query in queries.ALL:
        if not only_queries or any(o in query for o in only_queries):
            for engine in only_engines:
                yield query, engine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--spark")
    parser.add_argument("--firn", default=os.path.join(ROOT, "bin", "firn"))
    parser.add_argument("--firn-flag", action="append", default=[], help="a flag of firn serve, such as -cpuprofile=FILE")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--limit", type=float, default=900, help="seconds that a query may take")
    parser.add_argument("--result", default=os.path.join(HERE, "RESULT.md"))
    parser.add_argument("files", nargs="+", type=int)
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.warehouse, args.results = os.path.join(args.work, "warehouse"), os.path.join(args.work, "results.jsonl")
    os.makedirs(args.warehouse, exist_ok=True)
    firn = subprocess.run([args.firn, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    for files in args.files:
        make(args, files)
        for query, engine in wanted(args):
            version = firn if engine == "firn" else "spark"
            if args.again or not report.find(report.read(args.results), files, query, engine, version):
                measure(args, files, query, engine, version)
                report.write(args.result, report.read(args.results), firn)
    report.write(args.result, report.read(args.results), firn)


sys.exit(main())
