"""Spark's part: spark_run.py CONF.json makes a table or runs the call of a case, and prints JSON."""

import glob
import json
import os
import shutil
import sys
import time

import cases
import measured  # finds session
from session import session


def make(spark, name, warehouse):
    t = cases.TABLES[name]
    spark.sql("CREATE NAMESPACE IF NOT EXISTS b.bench")
    spark.sql(f"DROP TABLE IF EXISTS b.bench.{name}")
    if t.of:
        link(spark, name, warehouse)
    else:
        fill(spark, name)
    if t.deletes == "position":
        spark.sql(f"DELETE FROM b.bench.{name} WHERE id % 20 = 7")
    elif t.deletes == "equality":
        for part in range(4):
            equality_delete(spark, name, warehouse, part)


def fill(spark, name):
    from pyspark.sql import functions as F
    t = cases.TABLES[name]
    words = F.array(*[F.lit(w) for w in "slate amber birch cobalt dune ember fjord glade harbor".split()])
    df = spark.range(0, t.files * t.rows, 1, t.files).select(
        "id", (F.rand(11) * 1e6).cast("bigint").alias("customer_id"),
        F.timestamp_micros(F.lit(1767225600000000) + (F.rand(12) * 8.64e11).cast("bigint")).alias("event_time"),
        F.rand(13).alias("amount"), F.md5(F.col("id").cast("string")).alias("token"),
        F.concat(F.lit("status-"), (F.col("id") % 7).cast("string")).alias("status"),
        (F.rand(14) * 100).cast("decimal(10,2)").alias("price"),
        F.concat_ws(" ", *[F.element_at(words, (F.rand(i) * 9).cast("int") + 1) for i in range(15, 21)]).alias("note"))
    (df.writeTo(f"b.bench.{name}").using("iceberg").tableProperty("write.distribution-mode", "none")
     .tableProperty("write.delete.mode", "merge-on-read").createOrReplace())


def load(spark, name):
    jvm = spark._jvm
    catalog = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergCatalog(spark._jsparkSession, "b")
    return catalog.loadTable(jvm.org.apache.iceberg.catalog.TableIdentifier.parse(f"bench.{name}"))


def link(spark, name, warehouse):
    """Makes a table of other tables' data files under names of its own."""
    of = cases.TABLES[name].of
    spark.sql(f"CREATE TABLE b.bench.{name} USING iceberg AS SELECT * FROM b.bench.{of[0]} WHERE false")
    table, folder = load(spark, name), os.path.join(warehouse, "bench", name, "data")
    os.makedirs(folder, exist_ok=True)
    append = table.newAppend()
    for i, source in enumerate(of):
        other = load(spark, source)
        for file in other.currentSnapshot().addedDataFiles(other.io()):
            path = file.location().removeprefix("file:")
            target = os.path.join(folder, "%d-%s" % (i, os.path.basename(path)))
            os.link(path, target)
            append.appendFile(spark._jvm.org.apache.iceberg.DataFiles.builder(table.spec()).copy(file).withPath(target).build())
    append.commit()


def equality_delete(spark, name, warehouse, part):
    """Commits a file of keys as an equality delete by column id, which is field 1 in both tables. A quarter of the deletes."""
    t, keys = cases.TABLES[name], f"keys_{name}_{part}"
    df = spark.range(0, t.files * t.rows, 1, 2).where(f"id % 20 = 7 AND (id DIV 20) % 4 = {part}").coalesce(1)
    df.writeTo(f"b.bench.{keys}").using("iceberg").createOrReplace()
    source = glob.glob(os.path.join(warehouse, "bench", keys, "data", "*.parquet"))[0]
    target = os.path.join(warehouse, "bench", name, "data", f"equality-{part}.parquet")
    shutil.copy(source, target)
    jvm, table = spark._jvm, load(spark, name)
    ids = spark.sparkContext._gateway.new_array(jvm.int, 1)
    ids[0] = 1
    metrics = jvm.org.apache.iceberg.parquet.ParquetUtil.fileMetrics(
        table.io().newInputFile(target), jvm.org.apache.iceberg.MetricsConfig.getDefault())
    file = (jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(table.spec()).ofEqualityDeletes(ids).withPath(target)
            .withFormat(jvm.org.apache.iceberg.FileFormat.PARQUET).withFileSizeInBytes(os.path.getsize(target))
            .withMetrics(metrics).build())
    table.newRowDelta().addDeletes(file).commit()
    spark.sql(f"DROP TABLE b.bench.{keys} PURGE")


def main():
    with open(sys.argv[1]) as f:
        conf = json.load(f)
    spark = session(conf, "8g")
    spark.sql("SELECT 1").collect()
    if "make" in conf:
        make(spark, conf["make"], conf["warehouse"])
        spark.stop()
        return
    case, pid = cases.CASES[conf["case"]], spark.sparkContext._gateway.proc.pid
    if case.warm:
        spark.sql(cases.call(case, "warmup")).collect()
    before, start = measured.processor(pid), time.monotonic()
    row = spark.sql(cases.call(case, case.table)).collect()[0].asDict()
    seconds = time.monotonic() - start
    print(json.dumps({"seconds": seconds, "cpu": measured.processor(pid) - before,
                      "peak_mb": measured.peak(pid), "said": row}))
    spark.stop()


main()
