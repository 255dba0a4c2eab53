"""A Spark session on a Hadoop catalog b of the local disk."""

import glob
import os


def session(conf, memory="4g"):
    from pyspark.sql import SparkSession
    settings = {
        "spark.driver.extraClassPath": ":".join(glob.glob(os.path.join(conf["jars"], "iceberg-spark-runtime-*.jar"))),
        "spark.driver.memory": memory,
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
    builder = SparkSession.builder.master("local[2]").appName("bench")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark
