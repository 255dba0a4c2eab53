#!/usr/bin/env python3
"""The procedures that clean up by Firn and by Spark on the same tables: time, processor time, peak memory, what they answer.

usage: bench/cleanup/compare.py --work FOLDER [--spark FOLDER] [--only TEXT ...] [CASE ...]   (Linux)

Cases: expire, orphans, manifests. Their tables are made below --work if they are not there, and put back before every run.
--spark is a folder with a virtual environment `venv` that has pyspark 4.1 and with `jars`; without it only Firn runs. --only takes
an engine. What was measured is kept in --work and not measured again, unless with --again. The table of all results is RESULT.md.

Each call is the first of a process that has connected and run SELECT 1. The files' pages are in memory. --by N makes tables of an
Nth of the size, for a try.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

import cases
import report

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "internal", "peers"))
import spark
import wire
from process import peak, processor
from server import Server


def run_firn(args, case):
    with Server(args.firn, args.work, args.warehouse, args.firn_flag) as server:
        connection = server.connect(args.limit)
        connection.query("SELECT 1")
        before, start = processor(server.pid), time.monotonic()
        _, rows = connection.query(cases.ALL[case].call)
        seconds = time.monotonic() - start
        rows = [[None if cell is None else cell.decode() for cell in row] for row in rows]
        result = {"seconds": seconds, "processor": processor(server.pid) - before, "peak_mb": peak(server.pid)}
        _, warnings = connection.query("SHOW WARNINGS")
        if warnings:
            raise RuntimeError(warnings[0][-1].decode())
        connection.close()
        return dict(result, **cases.answer(rows))


def run_spark(args, case):
    conf = {"warehouse": args.warehouse, "scratch": os.path.join(args.work, "spark"), "call": cases.ALL[case].call}
    return spark.run(args.spark, os.path.join(HERE, "spark_call.py"), conf, os.path.join(args.work, "spark.json"), args.limit)


def make(args, case):
    """Makes the table, and a copy of those that a call changes, if they are not there."""
    env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-tags=grpcnotrace")
    words = ["go", "run", "./bench/cleanup", "-warehouse", args.warehouse, "-by", str(args.by), case]
    subprocess.run(words, cwd=ROOT, env=env, check=True)
    if cases.ALL[case].changes and not os.path.exists(kept(args, case)):
        copy(folder(args, case), kept(args, case))


def folder(args, case):
    return os.path.join(args.warehouse, "bench", case)


def kept(args, case):
    return os.path.join(args.work, "kept", case)


def copy(source, to):
    """A copy whose files are links: no call writes into a file that is there."""
    part = to + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    subprocess.run(["cp", "-al", source, part], check=True)
    os.rename(part, to)


def restore(args, case):
    if cases.ALL[case].changes:
        shutil.rmtree(folder(args, case), ignore_errors=True)
        copy(kept(args, case), folder(args, case))


def warm_pages(args, case):
    metadata = os.path.join(folder(args, case), "metadata")
    for name in os.listdir(metadata):
        with open(os.path.join(metadata, name), "rb") as f:
            while f.read(1 << 20):
                pass


def measure(args, case, engine, version):
    """One line of the results; an engine that fails has its error there."""
    restore(args, case)
    warm_pages(args, case)
    line = {"case": case, "engine": engine, "version": version, "by": args.by, "when": time.strftime("%F %T"), "load": os.getloadavg()[0]}
    try:
        line.update((run_firn if engine == "firn" else run_spark)(args, case))
        print("%-10s %-5s %7.2f s, %7.2f s of processor, %5d MB" % (case, engine, line["seconds"], line["processor"], line["peak_mb"]), flush=True)
    except (wire.Error, RuntimeError, OSError, EOFError, subprocess.TimeoutExpired) as e:
        line["error"] = " ".join(str(e).split())[:200] or type(e).__name__
        print("%-10s %-5s %s" % (case, engine, line["error"]), flush=True)
    with open(args.results, "a") as f:
        f.write(json.dumps(line) + "\n")
    restore(args, case)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--warehouse", help="where the tables are; a folder in --work if it is not said")
    parser.add_argument("--spark")
    parser.add_argument("--firn", default=os.path.join(ROOT, "bin", "firn"))
    parser.add_argument("--firn-flag", action="append", default=[], help="a flag of firn serve, such as -cpuprofile=FILE")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--by", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1800, help="seconds that a call may take")
    parser.add_argument("--result", default=os.path.join(HERE, "RESULT.md"))
    parser.add_argument("cases", nargs="*", metavar="CASE", default=list(cases.ALL))
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.warehouse = os.path.abspath(args.warehouse or os.path.join(args.work, "warehouse"))
    args.results = os.path.join(args.work, "results.jsonl")
    os.makedirs(args.warehouse, exist_ok=True)
    firn = subprocess.run([args.firn, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    engines = ["spark", "firn"] if args.spark else ["firn"]
    for case in args.cases:
        make(args, case)
        for engine in engines:
            version = firn if engine == "firn" else "spark"
            if args.only and engine not in args.only:
                continue
            if args.again or not report.find(report.read(args.results), case, engine, version, args.by):
                measure(args, case, engine, version)
    report.write(args.result, report.read(args.results), firn, args.by)


sys.exit(main())
