"""One statement in a Spark session of its own: spark_query.py CONF.json. Prints what compare.py keeps, as JSON."""

import glob
import json
import os
import sys
import time

import queries
import same
from process import peak, processor


def session(conf):
    from pyspark.sql import SparkSession
    settings = {
        "spark.driver.extraClassPath": ":".join(glob.glob(os.path.join(conf["jars"], "iceberg-spark-runtime-*.jar"))),
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": conf["scratch"],
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.b": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.b.type": "hadoop",
        "spark.sql.catalog.b.warehouse": conf["warehouse"],
    }
    builder = SparkSession.builder.master("local[2]").appName("metadata")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main():
    with open(sys.argv[1]) as f:
        conf = json.load(f)
    spark = session(conf)
    spark.sql("SELECT 1").collect()
    text = queries.ALL[conf["query"]].text.format(t=conf["table"])
    jvm, seconds, work, rows = spark.sparkContext._gateway.proc.pid, [], [], None
    for _ in range(conf["runs"]):
        before, start = processor(jvm), time.monotonic()
        frame = spark.sql(text)
        if conf["whole"]:
            frame.write.format("noop").mode("overwrite").save()
        else:
            rows = frame.collect()
        seconds.append(time.monotonic() - start)
        work.append(processor(jvm) - before)
    result = {"seconds": seconds, "processor": work, "peak_mb": peak("self") + peak(jvm)}
    if conf["whole"] and conf["compared"]:
        rows = spark.sql(text).collect()
    if rows is None:
        result["rows"], result["digest"] = spark.sql("SELECT COUNT(*) FROM (%s)" % text).first()[0], ""
    else:
        result["rows"], result["digest"] = len(rows), same.digest([same.plain(value) for value in row] for row in rows)
    print(json.dumps(result))
    spark.stop()


main()
