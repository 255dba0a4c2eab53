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
import socket
import subprocess
import sys
import time

import queries
import report
import same
import wire
from process import peak, processor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RUNS = 3


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port, process, limit):
    for _ in range(600):
        try:
            return wire.Connection(port, limit)
        except ConnectionRefusedError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    raise RuntimeError("firn does not listen")


def run_firn(args, files, query):
    config, port = os.path.join(args.work, "firn.yaml"), free_port()
    with open(config, "w") as f:
        f.write("catalogs:\n  b:\n    type: hadoop\n    warehouse: file://%s\n" % args.warehouse)
    with open(os.path.join(args.work, "firn.log"), "w") as log:
        server = subprocess.Popen([args.firn, "serve", "--config", config, "--listen", "127.0.0.1:%d" % port] + args.firn_flag, stderr=log)
    try:
        connection = connect(port, server, args.limit)
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
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def run_spark(args, files, query):
    conf = {"jars": os.path.join(args.spark, "jars"), "warehouse": args.warehouse, "scratch": os.path.join(args.work, "spark"),
            "query": query, "table": table(files), "runs": RUNS,
            "whole": queries.ALL[query].whole, "compared": files <= queries.COMPARED}
    path = os.path.join(args.work, "spark.json")
    with open(path, "w") as f:
        json.dump(conf, f)
    env = dict(os.environ, TZ="UTC")
    env.pop("SPARK_HOME", None)
    jvms = sorted(d for d in glob.glob("/usr/lib/jvm/*17*") if os.path.isdir(d))
    if "JAVA_HOME" not in env and jvms:
        env["JAVA_HOME"] = jvms[0]
    words = [os.path.join(args.spark, "venv", "bin", "python"), os.path.join(HERE, "spark_query.py"), path]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=RUNS * args.limit)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])


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
