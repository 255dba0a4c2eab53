"""Lets Firn maintain a lake that Spark wrote and reads it with other engines after every stage: see README.md."""

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

import probes
import stages

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# So many files are not asked for conditions: Spark would take minutes, and rewrites leave fewer.
MANY = 50
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


class Spark:
    """A session that answers requests: see spark_rows.py."""

    def __init__(self, spark, lake):
        conf = {"jars": os.path.join(spark, "jars"), "work": lake.work, "catalog": lake.catalog, "endpoint": lake.endpoint,
                "access": ACCESS, "secret": SECRET}
        path = os.path.join(lake.work, "spark.json")
        with open(path, "w") as f:
            json.dump(conf, f)
        env = dict(os.environ, TZ="UTC", AWS_REGION="us-east-1")
        jvms = sorted(d for d in glob.glob("/usr/lib/jvm/*17*") if os.path.isdir(d))
        if "JAVA_HOME" not in env and jvms:
            env["JAVA_HOME"] = jvms[0]
        self.log = open(os.path.join(lake.work, "spark.log"), "w")
        self.process = subprocess.Popen([os.path.join(spark, "venv", "bin", "python"), os.path.join(HERE, "spark_rows.py"), path],
                                        env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("RESULT "):
                return json.loads(line.removeprefix("RESULT "))
        raise SystemExit("Spark failed: see %s" % self.log.name)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


def multiset(arrow):
    """A count and a digest of an Arrow table's rows in any order."""
    names = sorted(arrow.column_names)
    rows = sorted(repr(row) for row in zip(*(arrow.column(name).to_pylist() for name in names))) if names else []
    return [arrow.num_rows, hashlib.sha256("\n".join(rows).encode()).hexdigest()]


def pyiceberg_catalog(lake):
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("lake", **{
        "uri": "sqlite:///" + lake.catalog, "warehouse": "s3://lake/wh", "init_catalog_tables": "false",
        "s3.endpoint": lake.endpoint, "s3.access-key-id": ACCESS, "s3.secret-access-key": SECRET, "s3.region": "us-east-1"})


def with_pyiceberg(lake, tables):
    catalog = pyiceberg_catalog(lake)
    return each(tables, lambda table: multiset(catalog.load_table(table).scan().to_arrow()))


def duckdb_connection(lake):
    """With the extensions of PyPI's packages duckdb-extension-*, or else those that DuckDB downloads."""
    import importlib.util

    import duckdb

    db = duckdb.connect()
    for extension in ("httpfs", "avro", "iceberg"):
        package = importlib.util.find_spec("duckdb_extension_" + extension)
        if package is None:
            db.execute("INSTALL %s; LOAD %s" % (extension, extension))
        else:
            db.execute("LOAD '%s'" % glob.glob(package.submodule_search_locations[0] + "/extensions/*/*.duckdb_extension")[0])
    db.execute("SET TimeZone = 'UTC'")
    db.execute("CREATE SECRET (TYPE s3, KEY_ID '%s', SECRET '%s', REGION 'us-east-1', ENDPOINT '127.0.0.1:%d', "
               "URL_STYLE 'path', USE_SSL false)" % (ACCESS, SECRET, lake.port))
    return db


def with_duckdb(lake, tables):
    db = duckdb_connection(lake)
    return each(tables, lambda table: multiset(
        db.execute("SELECT * FROM iceberg_scan('%s')" % lake.location(table)).to_arrow_table()))


def timed(what, act):
    """What act returns; how long it took goes to standard error."""
    start = time.monotonic()
    result = act()
    print("  %6.1f s  %s" % (time.monotonic() - start, what), file=sys.stderr, flush=True)
    return result


def each(tables, read):
    result = {}
    for table in tables:
        try:
            result[table] = {"rows": read(table)}
        except Exception as e:  # noqa: BLE001 - whatever the engine says belongs in the report
            result[table] = {"error": "%s: %s" % (type(e).__name__, str(e).strip().split("\n")[0][:200])}
    return result


class Firn:
    def __init__(self, binary, lake):
        self.binary, self.work, self.config = binary, lake.work, os.path.join(lake.work, "firn.yaml")
        with open(self.config, "w") as f:
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

    def run(self, calls):
        """Makes calls, the first that fails the last, and returns what Firn says to each."""
        said = []
        for call in calls:
            done = subprocess.run([self.binary, "sql", "--config", self.config, "--format", "csv", "-e", call],
                                  capture_output=True, text=True, cwd=self.work)
            if done.returncode != 0:
                said.append("error: " + done.stderr.strip().split("\n")[-1][:200])
                break
            said.append(done.stdout.strip().split("\n")[-1])
        return said


def compare(before, after, truth):
    """One word for each table, and whether it is good; truth is what Spark saw before."""
    verdicts = collections.OrderedDict()
    for table, was in before.items():
        now = after[table]
        if "error" in was:
            verdicts[table] = ("unreadable before", True)
        elif "error" in now:
            verdicts[table] = ("UNREADABLE: " + now["error"], False)
        elif "rows" in truth[table] and was["rows"][0] != truth[table]["rows"][0]:
            rows = now["rows"][0]
            verdicts[table] = ("%d rows, before Firn %d" % (rows, was["rows"][0]), rows in (was["rows"][0], truth[table]["rows"][0]))
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
    parser.add_argument("--stages", help="comma separated; default all of " + ",".join(stages.NAMES))
    parser.add_argument("--report", help="file for the report, besides standard output")
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="interop-")
    os.makedirs(work, exist_ok=True)
    lake = Lake(args.lake, work, os.path.join(args.spark, "bin", "versitygw"))
    spark = Spark(args.spark, lake)
    try:
        text, good = check(args, lake, spark)
    finally:
        spark.stop()
        lake.stop()
        if not args.work:
            shutil.rmtree(work)
    print(text)
    if args.report:
        with open(args.report, "w") as f:
            f.write(text + "\n")
    sys.exit(0 if good else 1)


def engines_of(lake, spark, tables):
    """Readers by name, Spark last because it also writes in the end; and what is missing."""
    engines, missing = {}, []
    for name, module, read in (("PyIceberg", "pyiceberg", with_pyiceberg), ("DuckDB", "duckdb", with_duckdb)):
        try:
            __import__(module)
            read(lake, {})
            engines[name] = lambda last, read=read: read(lake, tables)
        except Exception as e:  # noqa: BLE001
            missing.append("%s does not read tables here: %s" % (name, str(e).strip().split("\n")[0][:100]))
    engines["Spark"] = lambda last: spark.ask(tables=tables, write=last)
    return engines, missing


def probe(lake, spark, duck, tables, failed):
    """Puts conditions to readers of all tables without deletes whose files have the table's columns; returns how many, and wrong answers with what tells them apart."""
    catalog = pyiceberg_catalog(lake)
    asked, files = {}, {}
    for table in tables:
        try:
            files[table], orders, metadata = stages.live(catalog, lake, table)
        except Exception as e:  # noqa: BLE001 - such as equality deletes
            continue
        if table in failed or not 0 < len(files[table]) <= MANY:
            continue
        rows = probes.read(files[table], [f.name for f in catalog.load_table(table).schema().fields])
        if rows is None:
            continue
        asked[table] = probes.conditions(rows)
        failed.update(stages.disordered(table, orders, metadata))
        failed.update(stages.unindexed(table, files[table]))
    counts, wrong = collections.Counter(), {}
    answers = timed("Spark counts", lambda: spark.ask(
        probes={t: [files[t], [[n, o, probes.text(v)] for (n, o, v), _ in what]] for t, what in asked.items()}))
    for table, what in asked.items():
        conditions = [c for c, _ in what]
        found = {"DuckDB on files": timed("DuckDB counts " + table, lambda: probes.by_duckdb(None, files[table], conditions)),
                 "PyIceberg": timed("PyIceberg counts " + table, lambda: probes.by_pyiceberg(catalog.load_table(table), lake.local, conditions)),
                 "Spark": [a for a, _ in answers[table]], "Spark on files": [b for _, b in answers[table]]}
        if duck:
            found["DuckDB"] = timed("DuckDB counts table " + table, lambda: probes.by_duckdb(duck, lake.location(table), conditions))
        for reader, numbers in found.items():
            for (condition, want), got in zip(what, numbers):
                if isinstance(got, str):
                    counts["%s cannot (%s)" % (reader, got.split("\n")[0])] += 1
                    continue
                counts[reader] += 1
                if got != want:
                    text = "%s: %s sees %s rows, not %s, where %s %s %r" % (table, reader, got, want, *condition)
                    print("  " + text, file=sys.stderr, flush=True)
                    # What a reader makes of a zero does not depend on the table.
                    wrong[text] = (reader, repr(condition[2])) if isinstance(condition[2], float) and condition[2] == 0 else text
    return counts, wrong


def check(args, lake, spark):
    tables = lake.tables()
    if args.tables:
        tables = {name: tables[name] for name in args.tables.split(",")}
    firn = Firn(os.path.abspath(args.firn), lake)
    engines, missing = engines_of(lake, spark, tables)
    before = {name: timed(name + " reads", lambda: read(False)) for name, read in engines.items()}
    duck = duckdb_connection(lake) if "DuckDB" in engines else None
    # What readers get wrong in the files that Spark wrote is their own doing.
    counts, known = probe(lake, spark, duck, tables, {})
    bad, cells, sums = {}, collections.defaultdict(dict), line("before", counts, known)
    names = args.stages.split(",") if args.stages else stages.NAMES
    for stage in names:
        print("stage", stage, flush=True)
        for table in tables:
            said = firn.run(stages.calls(stage, table, lake))
            cells[table][stage] = "; ".join(said)
            # 1235 is how Firn says that it cannot do that, having changed nothing.
            if any(s.startswith("error") and "ERROR 1235" not in s for s in said):
                bad["%s, %s" % (stage, table)] = said[-1]
        counts, wrong = probe(lake, spark, duck, tables, bad)
        bad.update({"%s, %s" % (stage, w): "" for w, kind in wrong.items() if kind not in known.values()})
        sums += line(stage, counts, wrong)
        last = stage == names[-1]
        now = {name: timed(name + " reads", lambda: read(last)) for name, read in engines.items()}
        for name in engines:
            for table, (verdict, good) in compare(before[name], now[name], before["Spark"]).items():
                cells[table][stage, name] = verdict
                if not good:
                    bad["%s, %s by %s" % (stage, table, name)] = verdict
                    print("  %s, %s" % (name, verdict), file=sys.stderr, flush=True)
    return report(tables, names, engines, missing, cells, sums, bad), not bad


def line(stage, counts, wrong):
    return ["- %s: %s" % (stage, ", ".join("%s %d" % c for c in sorted(counts.items())))] + ["  - " + w for w in wrong]


def report(tables, names, engines, missing, cells, sums, bad):
    lines = ["%d tables; %s" % (len(tables), "SOMETHING DIFFERS:" if bad else "nothing differs")]
    lines += ["- %s: %s" % item for item in bad.items()] + [""] + missing
    lines += ["", "## Conditions", "", "How many conditions each reader answered, right unless named; \"cannot\" are those that it refuses.", ""] + sums
    lines += ["", "## Rows", "", "What each engine sees after every stage, and what Firn said (its result's columns).", ""]
    for table in tables:
        lines += ["### " + table, "", "| stage | firn | " + " | ".join(engines) + " |", "|" + " --- |" * (2 + len(engines))]
        lines += ["| %s | %s | %s |" % (s, cells[table][s].replace("|", "/"), " | ".join(cells[table][s, e] for e in engines)) for s in names] + [""]
    return "\n".join(lines)


main()
