#!/usr/bin/env python3
"""rewrite_data_files by Spark and by firn on the same files: time of the call, processor time, peak memory, what came out.

usage: bench/rewrite/compare.py --work FOLDER --spark-jars FOLDER [--firn bin/firn] CASE [CASE ...]

Run it with a Python that has pyspark 4.1; --spark-jars holds iceberg-spark-runtime-4.1_2.13-1.12.0.jar. A table is made once,
in a Hadoop catalog below --work, and copied back before every run. Cases: a = 400 files of 2.7 MB, b = 40 of 27 MB, c = 4,000 of
16 KB, h = 5 files of one row, f = 100 files of 2.7 MB sorted by two columns, g = the same in Z-order.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import time

CASES = {"a": (400, 60_000), "b": (40, 600_000), "c": (4_000, 300), "h": (5, 1), "f": (100, 60_000), "g": (100, 60_000)}
ORDERS = {"f": "customer_id ASC NULLS LAST, event_time ASC NULLS LAST", "g": "zorder(customer_id, event_time)"}


def call(case):
    order = f", strategy => 'sort', sort_order => '{ORDERS[case]}'" if case in ORDERS else ""
    # The files of b are large enough for the planner to leave them alone.
    options = "'rewrite-all', 'true'" if case == "b" else "'min-input-files', '2'"
    return f"CALL b.system.rewrite_data_files(table => 'bench.{case}', options => map({options}){order})"


def session(jars, warehouse):
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local[2]").appName("bench")
             .config("spark.jars", ",".join(os.path.join(jars, j) for j in os.listdir(jars) if "iceberg-spark" in j))
             .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
             .config("spark.sql.catalog.b", "org.apache.iceberg.spark.SparkCatalog")
             .config("spark.sql.catalog.b.type", "hadoop").config("spark.sql.catalog.b.warehouse", warehouse)
             .config("spark.driver.memory", "8g").config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def make(spark, case):
    from pyspark.sql import functions as F
    files, rows = CASES[case]
    words = F.array(*[F.lit(w) for w in "slate amber birch cobalt dune ember fjord glade harbor".split()])
    df = spark.range(0, files * rows, 1, files).select(
        "id", (F.rand(11) * 1e6).cast("bigint").alias("customer_id"),
        F.timestamp_micros(F.lit(1767225600000000) + (F.rand(12) * 8.64e11).cast("bigint")).alias("event_time"),
        F.rand(13).alias("amount"), F.md5(F.col("id").cast("string")).alias("token"),
        F.concat(F.lit("status-"), (F.col("id") % 7).cast("string")).alias("status"),
        (F.rand(14) * 100).cast("decimal(10,2)").alias("price"),
        F.concat_ws(" ", *[F.element_at(words, (F.rand(i) * 9).cast("int") + 1) for i in range(15, 21)]).alias("note"))
    spark.sql("CREATE NAMESPACE IF NOT EXISTS b.bench")
    df.writeTo(f"b.bench.{case}").using("iceberg").tableProperty("write.distribution-mode", "none").createOrReplace()


def peak_of(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_spark(args, case):
    spark = session(args.spark_jars, args.warehouse)
    pid = spark.sparkContext._gateway.proc.pid
    before, start = processor_seconds(pid), time.monotonic()
    row = spark.sql(call(case)).collect()[0].asDict()
    seconds = time.monotonic() - start
    print(json.dumps({"seconds": seconds, "cpu": processor_seconds(pid) - before, "peak_mb": peak_of(pid), "result": row}))
    spark.stop()


def run_firn(args, case):
    config = os.path.join(args.work, "firn.yaml")
    with open(config, "w") as f:
        f.write(f"catalogs:\n  b:\n    type: hadoop\n    warehouse: file://{args.warehouse}\n")
    start = time.monotonic()
    p = subprocess.Popen([args.firn, "sql", "--config", config, "--format", "json", "-e", call(case)], stdout=subprocess.PIPE)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"firn ended with {status}")
    return {"seconds": time.monotonic() - start, "cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss // 1024, "result": json.loads(out)[0]}


def run_cat(args, case):
    """A plain copy of the data files, the least a rewrite can do."""
    files = glob.glob(os.path.join(args.warehouse, "bench", case, "data", "*.parquet"))
    start = time.monotonic()
    with open(os.path.join(args.work, "cat"), "wb") as out:
        p = subprocess.Popen(["cat", *files], stdout=out)
        _, _, used = os.wait4(p.pid, 0)
    return {"seconds": time.monotonic() - start, "cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss // 1024, "result": {}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--spark-jars", required=True)
    parser.add_argument("--firn", default="bin/firn")
    parser.add_argument("--only-spark", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--engines", default="spark,firn,cat", help="which to run")
    parser.add_argument("cases", nargs="+", choices=CASES)
    args = parser.parse_args()
    args.warehouse = os.path.join(os.path.abspath(args.work), "warehouse")
    if args.only_spark:
        return run_spark(args, args.cases[0])
    for case in args.cases:
        table, pristine = os.path.join(args.warehouse, "bench", case), os.path.join(args.work, "pristine", case)
        if not os.path.isdir(pristine):
            spark = session(args.spark_jars, args.warehouse)
            make(spark, case)
            spark.stop()
            shutil.copytree(table, pristine)
        for engine in args.engines.split(","):
            shutil.rmtree(table)
            shutil.copytree(pristine, table)
            if engine == "firn":
                got = run_firn(args, case)
            elif engine == "cat":
                got = run_cat(args, case)
            else:
                # A process of its own: a session that has rewritten once is warm.
                words = [sys.executable, __file__, "--work", args.work, "--spark-jars", args.spark_jars, "--only-spark", case]
                got = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])
            print(f"{case} {engine}: {got['seconds']:.2f} s, {got['cpu']:.1f} s of processors, peak {got['peak_mb']} MB, {got['result']}", flush=True)


main()
