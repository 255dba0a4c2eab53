"""Lets Firn maintain a lake that Spark wrote and reads it with other engines: see README.md."""

import argparse
import collections
import glob
import hashlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ACCESS, SECRET = "interop", "interopinterop"


class Lake:
    """A copy of a lake and an S3 server on it."""

    def __init__(self, source, work, gateway):
        self.work = work
        shutil.copytree(os.path.join(source, "wh"), os.path.join(work, "s3", "lake", "wh"))
        self.catalog = os.path.join(work, "catalog.db")
        shutil.copy(os.path.join(source, "catalog.db"), self.catalog)
        self.port = free_port()
        self.endpoint = "http://127.0.0.1:%d" % self.port
        self.server = subprocess.Popen(
            [gateway, "--port", "127.0.0.1:%d" % self.port, "--access", ACCESS, "--secret", SECRET, "--quiet", "posix",
             "--nometa", "--default-etag", "0" * 32, "--disable-object-lock-file", os.path.join(work, "s3")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("the S3 server does not listen")

    def stop(self):
        self.server.terminate()
        self.server.wait(20)

    def tables(self):
        """The tables with their format versions."""
        with sqlite3.connect(self.catalog) as db:
            rows = db.execute("SELECT table_namespace || '.' || table_name, metadata_location FROM iceberg_tables "
                              "WHERE iceberg_type = 'TABLE' ORDER BY 1").fetchall()
        return {name: json.load(open(self.local(location)))["format-version"] for name, location in rows}

    def local(self, location):
        return os.path.join(self.work, "s3", location.removeprefix("s3://"))

    def location(self, table):
        namespace, name = table.split(".")
        with sqlite3.connect(self.catalog) as db:
            return db.execute("SELECT metadata_location FROM iceberg_tables WHERE table_namespace = ? AND table_name = ?",
                              (namespace, name)).fetchone()[0]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def with_spark(spark, lake, tables, write=False):
    conf = {"jars": os.path.join(spark, "jars"), "work": lake.work, "catalog": lake.catalog, "endpoint": lake.endpoint,
            "access": ACCESS, "secret": SECRET, "tables": tables, "write": write}
    path = os.path.join(lake.work, "spark.json")
    json.dump(conf, open(path, "w"))
    env = dict(os.environ, TZ="UTC", AWS_REGION="us-east-1")
    jvms = sorted(d for d in glob.glob("/usr/lib/jvm/*17*") if os.path.isdir(d))
    if "JAVA_HOME" not in env and jvms:
        env["JAVA_HOME"] = jvms[0]
    done = subprocess.run([os.path.join(spark, "venv", "bin", "python"), os.path.join(HERE, "spark_rows.py"), path],
                          env=env, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    raise SystemExit("Spark failed:\n" + done.stderr[-3000:])


def multiset(arrow):
    """A count and a digest of an Arrow table's rows in any order."""
    names = sorted(arrow.column_names)
    rows = sorted(repr(row) for row in zip(*(arrow.column(name).to_pylist() for name in names))) if names else []
    return [arrow.num_rows, hashlib.sha256("\n".join(rows).encode()).hexdigest()]


def with_pyiceberg(lake, tables):
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("lake", **{
        "uri": "sqlite:///" + lake.catalog, "warehouse": "s3://lake/wh", "init_catalog_tables": "false",
        "s3.endpoint": lake.endpoint, "s3.access-key-id": ACCESS, "s3.secret-access-key": SECRET, "s3.region": "us-east-1"})
    return each(tables, lambda table: multiset(catalog.load_table(table).scan().to_arrow()))


def with_duckdb(lake, tables):
    import duckdb

    db = duckdb.connect()
    for extension in ("httpfs", "iceberg"):
        db.execute("INSTALL %s; LOAD %s" % (extension, extension))
    db.execute("SET TimeZone = 'UTC'")
    db.execute("CREATE SECRET (TYPE s3, KEY_ID '%s', SECRET '%s', REGION 'us-east-1', ENDPOINT '127.0.0.1:%d', "
               "URL_STYLE 'path', USE_SSL false)" % (ACCESS, SECRET, lake.port))
    return each(tables, lambda table: multiset(
        db.execute("SELECT * FROM iceberg_scan('%s')" % lake.location(table)).fetch_arrow_table()))


def each(tables, read):
    result = {}
    for table in tables:
        try:
            result[table] = {"rows": read(table)}
        except Exception as e:  # noqa: BLE001 - whatever the engine says belongs in the report
            result[table] = {"error": "%s: %s" % (type(e).__name__, str(e).strip().split("\n")[0][:200])}
    return result


def with_firn(firn, lake, tables):
    """Rewrites and expires every table; returns what Firn says of each."""
    config = os.path.join(lake.work, "firn.yaml")
    with open(config, "w") as f:
        f.write("""default-catalog: lake
catalogs:
  lake:
    type: sql
    uri: file:%s
    warehouse: s3://lake/wh
    s3.endpoint: %s
    s3.access-key-id: %s
    s3.secret-access-key: %s
    s3.region: us-east-1
""" % (lake.catalog, lake.endpoint, ACCESS, SECRET))
    result = {}
    for table in tables:
        said = []
        for call in (
            "CALL lake.system.rewrite_data_files(table => '%s', options => map('rewrite-all', 'true'))" % table,
            "CALL lake.system.expire_snapshots(table => '%s', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)"
            % table,
        ):
            done = subprocess.run([firn, "sql", "--config", config, "--format", "csv", "-e", call],
                                  capture_output=True, text=True, cwd=lake.work)
            if done.returncode != 0:
                said.append("error: " + done.stderr.strip().split("\n")[-1][:200])
                break
            said.append(done.stdout.strip().split("\n")[-1])
        result[table] = said
    return result


def compare(engine, before, after):
    """One word for each table, and whether it is good."""
    verdicts = collections.OrderedDict()
    for table, was in before.items():
        now = after[table]
        if "error" in was:
            verdicts[table] = ("unreadable before", True)
        elif "error" in now:
            verdicts[table] = ("UNREADABLE: " + now["error"], False)
        elif was != {k: v for k, v in now.items() if k != "go on"}:
            verdicts[table] = ("DIFFERS: %s, %s" % (was, now), False)
        elif now.get("go on", "ok") != "ok":
            verdicts[table] = ("CANNOT GO ON: " + now["go on"], False)
        else:
            verdicts[table] = ("same %d rows" % was["rows"][0] + (" and row ids" if "lineage" in was else ""), True)
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spark", help="folder with venv, jars and bin/versitygw", required=True)
    parser.add_argument("--lake", default=os.path.join(ROOT, "testdata", "lake"), help="folder with wh and catalog.db")
    parser.add_argument("--firn", default=os.path.join(ROOT, "bin", "firn"))
    parser.add_argument("--work", help="scratch folder, kept; default a temporary one")
    parser.add_argument("--tables", help="comma separated; default all")
    parser.add_argument("--report", help="file for the report, besides standard output")
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="interop-")
    os.makedirs(work, exist_ok=True)
    lake = Lake(args.lake, work, os.path.join(args.spark, "bin", "versitygw"))
    try:
        text, good = check(args, lake)
    finally:
        lake.stop()
        if not args.work:
            shutil.rmtree(work)
    print(text)
    if args.report:
        open(args.report, "w").write(text + "\n")
    sys.exit(0 if good else 1)


def check(args, lake):
    tables = lake.tables()
    if args.tables:
        tables = {name: tables[name] for name in args.tables.split(",")}
    engines = {"Spark": lambda last: with_spark(args.spark, lake, tables, write=last)}
    missing = []
    for name, module, read in (("PyIceberg", "pyiceberg", with_pyiceberg), ("DuckDB", "duckdb", with_duckdb)):
        try:
            __import__(module)
            read(lake, {})
            engines[name] = lambda last, read=read: read(lake, tables)
        except Exception as e:  # noqa: BLE001
            missing.append("%s is left out: %s" % (name, str(e).strip().split("\n")[0][:200]))
    before = {name: read(False) for name, read in engines.items()}
    firn = with_firn(os.path.abspath(args.firn), lake, tables)
    # Spark comes last: it also writes.
    order = [name for name in engines if name != "Spark"] + ["Spark"]
    after = {name: engines[name](name == "Spark") for name in order}
    verdicts = {name: compare(name, before[name], after[name]) for name in engines}
    lines = ["| table | rewritten, added, bytes, failed, deletes removed | expired: data, position, equality, manifests, lists, "
             "statistics | " + " | ".join(engines) + " |", "|" + " --- |" * (3 + len(engines))]
    good = True
    for table in tables:
        said = (firn[table] + ["", ""])[:2]
        lines.append("| %s | %s | %s | %s |" % (table, said[0], said[1], " | ".join(verdicts[e][table][0] for e in engines)))
        good = good and all(verdicts[e][table][1] for e in engines)
        # 1235 is how Firn says that it cannot do that yet, having changed nothing.
        good = good and not any(s.startswith("error") and "ERROR 1235" not in s for s in said)
    summary = "%d tables; %s" % (len(tables), "nothing differs" if good else "SOMETHING DIFFERS")
    return "\n".join([summary] + missing + [""] + lines), good


main()
