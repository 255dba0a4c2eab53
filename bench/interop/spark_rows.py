"""What Spark sees: spark_rows.py CONF.json. Prints {"table": {"rows": [count, digest], "lineage": …, "error": …}} as JSON."""

import glob
import json
import os
import sys

CONF = json.load(open(sys.argv[1]))


def session():
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ.pop("SPARK_HOME", None)
    from pyspark.sql import SparkSession

    catalog = "spark.sql.catalog.lake"
    conf = {
        "spark.driver.extraClassPath": ":".join(sorted(glob.glob(os.path.join(CONF["jars"], "*.jar")))),
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": os.path.join(CONF["work"], "spark"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        catalog + ".type": "jdbc",
        catalog + ".uri": "jdbc:sqlite:" + CONF["catalog"],
        catalog + ".jdbc.schema-version": "V1",
        catalog + ".warehouse": "s3://lake/wh",
        catalog + ".io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        catalog + ".s3.endpoint": CONF["endpoint"],
        catalog + ".s3.path-style-access": "true",
        catalog + ".s3.access-key-id": CONF["access"],
        catalog + ".s3.secret-access-key": CONF["secret"],
        catalog + ".client.region": "us-east-1",
        catalog + ".cache-enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("interop")
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def digest(spark, columns, table):
    """A count and a sum of hashes: equal for equal multisets of rows."""
    row = spark.sql(
        "SELECT count(*), CAST(sum(CAST(xxhash64(j) AS DECIMAL(38,0))) AS STRING) FROM "
        "(SELECT to_json(struct(%s), map('ignoreNullFields', 'false')) AS j FROM lake.%s)" % (columns, table)).first()
    return [row[0], row[1]]


def reason(e):
    """The innermost cause of an error, on one line."""
    java = getattr(e, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    text = str(e) if java is None else java.toString()
    return text.strip().split("\n")[0][:300]


def read(spark, table, version):
    out = {}
    try:
        out["rows"] = digest(spark, "*", table)
        if version >= 3:
            out["lineage"] = digest(spark, "*, _row_id, _last_updated_sequence_number", table)
    except Exception as e:  # noqa: BLE001 - whatever Spark says belongs in the report
        out["error"] = reason(e)
    return out


def go_on(spark, table):
    """Writes to the table as its next user would, and takes it back."""
    try:
        before = digest(spark, "*", table)
        spark.sql("CALL lake.system.rewrite_manifests('%s')" % table)
        column = spark.table("lake." + table).columns[0]
        spark.sql("INSERT INTO lake.%s SELECT * FROM lake.%s LIMIT 1" % (table, table))
        grown = digest(spark, "*", table)
        if before[0] > 0 and grown[0] != before[0] + 1:
            return "after an append %s rows, before %s" % (grown[0], before[0])
        spark.sql("DELETE FROM lake.%s WHERE `%s` IS NULL OR true" % (table, column))
        if digest(spark, "*", table)[0] != 0:
            return "rows left after a delete of all"
        return "ok"
    except Exception as e:  # noqa: BLE001
        return reason(e)


def main():
    spark = session()
    result = {}
    for table, version in CONF["tables"].items():
        result[table] = read(spark, table, version)
        if CONF.get("write") and "error" not in result[table]:
            result[table]["go on"] = go_on(spark, table)
    spark.stop()
    print("RESULT " + json.dumps(result))


main()
