#!/usr/bin/env python3
"""rewrite_data_files by Firn and by others on the same files: time of the call, processor time, memory, what came out.

usage: bench/rewrite/compare.py --work FOLDER [--spark FOLDER] [--zamboni VENV] [--compaction VENV --rest-catalog FILE] [--check VENV] CASE ...
       bench/rewrite/compare.py --work FOLDER --spark FOLDER --make TABLE ...                                             (Linux)

The cases are in cases.py. --spark has a virtual environment `venv` with pyspark 4.1 and `jars` with iceberg-spark-runtime 1.12; it
makes the tables too, once, in a Hadoop catalog below --work. --zamboni is an environment with iceberg-zamboni, --compaction one
with iceberg-compaction, for which --rest-catalog is a program that serves a SQL catalog of PyIceberg: FILE URI WAREHOUSE PORT.
--check is an environment with pyiceberg, pyarrow and duckdb, which runs it and reads the rows after every rewrite.

Every engine is a process of its own. Start-up is not measured, but whatever it does in its first call is. Results are kept in
results.jsonl below --work and not measured again, unless with --again; Firn's are its version's. RESULT.md is the table of them.
"""

import argparse
import glob
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time

import cases
import measured  # finds server and wire
import report
import wire
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def stop(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()


def run_firn(args, name):
    case = cases.CASES[name]
    with Server(args.firn, args.work, args.warehouse, args.firn_flag) as server:
        connection = server.connect(args.limit)
        connection.query("SELECT 1")
        if case.warm:
            connection.query(cases.call(case, "warmup"))
        before, start = measured.processor(server.pid), time.monotonic()
        _, rows = connection.query(cases.call(case, case.table))
        seconds = time.monotonic() - start
        return {"seconds": seconds, "cpu": measured.processor(server.pid) - before, "peak_mb": measured.peak(server.pid),
                "said": ", ".join(v.decode() for v in rows[0])}


def run_script(args, python, script, conf):
    """Runs another program of this folder and returns the JSON of its last line."""
    conf.update(warehouse=args.warehouse, scratch=os.path.join(args.work, "scratch"))
    path = os.path.join(args.work, script + ".json")
    with open(path, "w") as f:
        json.dump(conf, f)
    env = dict(os.environ, TZ="UTC")
    env.pop("SPARK_HOME", None)
    jvms = sorted(d for d in glob.glob("/usr/lib/jvm/*17*") if os.path.isdir(d))
    if "JAVA_HOME" not in env and jvms:
        env["JAVA_HOME"] = jvms[0]
    done = subprocess.run([python, os.path.join(HERE, script), path], env=env, capture_output=True, text=True, timeout=args.limit)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "it failed").splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None


def run_spark(args, name):
    return run_script(args, args.spark_python, "spark_run.py", {"jars": os.path.join(args.spark, "jars"), "case": name})


def run_zamboni(args, name):
    return run_script(args, args.zamboni, "zamboni_run.py", {"uri": sql_catalog(args, name), "case": name})


def run_compaction(args, name):
    uri, port = sql_catalog(args, name), free_port()
    server = subprocess.Popen([args.check, args.rest_catalog, uri, "file://" + args.warehouse, str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        return run_script(args, args.compaction, "compaction_run.py", {"rest": "http://127.0.0.1:%d" % port, "case": name})
    finally:
        stop(server)


def run_cat(args, name):
    """A plain copy of the data files, the least a rewrite can do."""
    files = glob.glob(os.path.join(args.warehouse, "bench", cases.CASES[name].table, "data", "*.parquet"))
    start, target = time.monotonic(), os.path.join(args.work, "cat")
    with open(target, "wb") as out:
        cat = subprocess.Popen(["xargs", "-0", "cat"], stdin=subprocess.PIPE, stdout=out)
        cat.stdin.write("\0".join(files).encode())
        cat.stdin.close()
        used = os.wait4(cat.pid, 0)[2]
    seconds = time.monotonic() - start
    os.remove(target)
    return {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss // 1024, "said": ""}


ENGINES = {"spark": run_spark, "zamboni": run_zamboni, "compaction": run_compaction, "cat": run_cat, "firn": run_firn}
SQL = ("zamboni", "compaction")


def metadata(args, table):
    """The current metadata file of a table of the Hadoop catalog."""
    folder = os.path.join(args.warehouse, "bench", table, "metadata")
    versions = [int(m[1]) for m in (re.match(r"v(\d+)\.metadata\.json$", n) for n in os.listdir(folder)) if m]
    return os.path.join(folder, "v%d.metadata.json" % max(versions))


def sql_catalog(args, name):
    """A SQL catalog with the tables of a case, as PyIceberg makes it."""
    path = os.path.join(args.work, "catalog.db")
    if os.path.exists(path):
        os.remove(path)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, "
                   "metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
                   "PRIMARY KEY (catalog_name, table_namespace, table_name))")
        db.execute("CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, "
                   "property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key))")
        db.execute("INSERT INTO iceberg_namespace_properties VALUES ('b', 'bench', 'exists', 'true')")
        for table in tables(name):
            db.execute("INSERT INTO iceberg_tables VALUES ('b', 'bench', ?, ?, NULL, 'TABLE')", (table, "file://" + metadata(args, table)))
    return "sqlite:///" + path


def tables(name):
    case = cases.CASES[name]
    return [case.table, "warmup"] if case.warm else [case.table]


def pristine(args, table):
    return os.path.join(args.work, "pristine", table)


def make(args, table):
    """Makes a table if it is not there."""
    if os.path.isdir(pristine(args, table)):
        return
    for source in set(cases.TABLES[table].of):
        make(args, source)
        lay(args, source)
    print("making %s" % table, flush=True)
    run_script(args, args.spark_python, "spark_run.py", {"jars": os.path.join(args.spark, "jars"), "make": table})
    os.makedirs(os.path.dirname(pristine(args, table)), exist_ok=True)
    os.rename(os.path.join(args.warehouse, "bench", table), pristine(args, table))
    for source in set(cases.TABLES[table].of):
        shutil.rmtree(os.path.join(args.warehouse, "bench", source))


def lay(args, table):
    """Lays a table as it was made. Data files are never changed, so that links will do."""
    target = os.path.join(args.warehouse, "bench", table)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pristine(args, table), target, copy_function=lambda a, b: os.link(a, b) if "/data/" in a else shutil.copy2(a, b))


def expected(args, table):
    """What the table holds before, without the rows that are deleted."""
    path = os.path.join(args.work, "expected-%s.json" % table)
    if not os.path.exists(path):
        lay(args, table)
        condition = ["id % 20 <> 7"] if cases.TABLES[table].deletes else []
        found = held(args, metadata(args, table), *condition)
        with open(path, "w") as f:
            json.dump(found, f)
    with open(path) as f:
        return json.load(f)


def held(args, location, *condition):
    done = subprocess.run([args.check, os.path.join(HERE, "rows.py"), location, *condition], capture_output=True, text=True, timeout=args.limit)
    if done.returncode:
        raise RuntimeError("rows: " + done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


def check(args, engine, name, line):
    """Adds what came out, and whether it is what went in."""
    table = cases.CASES[name].table
    was, location = expected(args, table), metadata(args, table)
    if engine in SQL:
        with sqlite3.connect(os.path.join(args.work, "catalog.db")) as db:
            location = db.execute("SELECT metadata_location FROM iceberg_tables WHERE table_name = ?", (table,)).fetchone()[0]
    now = held(args, location)
    line.update(files_in=was["files"], bytes_in=was["bytes"], files_out=now["files"], bytes_out=now["bytes"])
    if now["files_with_deletes"]:
        line["rows"] = "%d files still have deletes" % now["files_with_deletes"]
    else:
        line["rows"] = "same" if (was["rows"], was["digest"]) == (now["rows"], now["digest"]) else "DIFFERENT"


def warm_pages(args, table):
    for path in glob.glob(os.path.join(args.warehouse, "bench", table, "*", "*")):
        with open(path, "rb") as f:
            while f.read(1 << 20):
                pass


def measure(args, name, engine, version):
    if args.check:
        expected(args, cases.CASES[name].table)
    for table in tables(name):
        lay(args, table)
        warm_pages(args, table)
    line = {"case": name, "engine": engine, "version": version, "when": time.strftime("%F %T"), "load": os.getloadavg()[0]}
    try:
        line.update(ENGINES[engine](args, name))
        if engine != "cat" and args.check:
            check(args, engine, name, line)
        print("%-3s %-10s %7.2f s, %7.2f s of processors, %5d MB, %s files, rows %s; %s" % (
            name, engine, line["seconds"], line["cpu"], line["peak_mb"], line.get("files_out"), line.get("rows"), line["said"]), flush=True)
    except (wire.Error, RuntimeError, OSError, EOFError, subprocess.TimeoutExpired) as e:
        line["error"] = " ".join(str(e).split())[:200] or type(e).__name__
        print("%-3s %-10s %s" % (name, engine, line["error"]), flush=True)
    with open(args.results, "a") as f:
        f.write(json.dumps(line) + "\n")
    for table in tables(name):
        shutil.rmtree(os.path.join(args.warehouse, "bench", table))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True)
    parser.add_argument("--spark")
    parser.add_argument("--zamboni")
    parser.add_argument("--compaction")
    parser.add_argument("--rest-catalog")
    parser.add_argument("--check")
    parser.add_argument("--firn", default=os.path.join(ROOT, "bin", "firn"))
    parser.add_argument("--firn-flag", action="append", default=[], help="a flag of firn serve, such as -cpuprofile=FILE")
    parser.add_argument("--engines", help="which to run, default all there are")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--make", action="store_true", help="make the tables named, no more")
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a call or the making of a table may take")
    parser.add_argument("--result", default=os.path.join(HERE, "RESULT.md"))
    parser.add_argument("names", nargs="*", metavar="CASE")
    args = parser.parse_args()
    args.work = os.path.abspath(args.work)
    args.warehouse, args.results = os.path.join(args.work, "warehouse"), os.path.join(args.work, "results.jsonl")
    os.makedirs(os.path.join(args.work, "scratch"), exist_ok=True)
    os.makedirs(os.path.join(args.warehouse, "bench"), exist_ok=True)
    for option in ("spark", "zamboni", "compaction", "check"):
        if folder := getattr(args, option):
            setattr(args, option + "_python" if option == "spark" else option, os.path.join(folder, *(["venv"] if option == "spark" else []), "bin", "python"))
    if args.make:
        for table in args.names or cases.TABLES:
            make(args, table)
        return
    have = [e for e in ENGINES if e in ("cat", "firn") or getattr(args, e)]
    engines = args.engines.split(",") if args.engines else have
    firn = subprocess.run([args.firn, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    for name in args.names or cases.CASES:
        for table in tables(name):
            make(args, table)
        for engine in engines:
            version = firn if engine == "firn" else engine
            if engine == "compaction" and cases.CASES[name].sort:
                continue  # it does not sort
            if args.again or not report.find(report.read(args.results), name, engine, version):
                measure(args, name, engine, version)
                report.write(args.result, report.read(args.results), firn)
    report.write(args.result, report.read(args.results), firn)


sys.exit(main())
