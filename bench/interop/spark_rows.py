"""What Spark sees: spark_rows.py CONF.json reads requests from standard input, one JSON a line, and prints an answer to each after RESULT.

{"tables": {NAME: FORMAT VERSION}, "write": BOOL} is answered by {NAME: {"rows": [count, digest], "lineage": …, "error": …}}, and
{"probes": {NAME: [FILES, [[COLUMN, OPERATOR, VALUE], …]]}} by the numbers of rows: see probes.py.
"""

import glob
import json
import os
import sys
import time

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
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": os.path.join(CONF["work"], "spark"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        # Queries are many and small: compiling them would take longer than running them.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
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
        catalog + ".io.manifest.cache-enabled": "true",
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


def literal(kind, value):
    """A value as probes.py sends it, as a literal of a column's type."""
    from pyspark.sql import functions as F

    if kind == "binary":
        return F.unhex(F.lit(value))
    return F.lit(value) if kind == "string" else F.lit(value).cast(kind)


def probe(spark, table, files, conditions):
    """For every condition how many rows meet it: of the table, and of its files as Spark's own Parquet reader sees them."""
    answers = []
    for what, source in (("table", lambda: spark.table("lake." + table)), ("files", lambda: spark.read.parquet(*files))):
        start = time.monotonic()
        try:
            answers.append(counts(source(), conditions))
        except Exception as e:  # noqa: BLE001
            answers.append([reason(e)] * len(conditions))
        print("  %6.1f s  %s %s, %d conditions on %d files" % (time.monotonic() - start, what, table, len(conditions), len(files)), file=sys.stderr, flush=True)
    return [list(pair) for pair in zip(*answers)]


def counts(frame, conditions):
    """All counts by one query: a union of scans, each with a filter of its own."""
    from pyspark.sql import functions as F

    out, scans = [0] * len(conditions), []
    for i, (column, operator, value) in enumerate(conditions):
        try:
            kind = frame.schema[column].dataType.simpleString()
            left, right = F.col("`%s`" % column.replace("`", "``")), literal(kind, value)
            condition = {"=": lambda: left == right, "<=": lambda: left <= right, ">=": lambda: left >= right, "null": left.isNull,
                         "not null": left.isNotNull, "nan": lambda: F.isnan(left)}[operator]()
            scans.append(frame.where(condition).select(F.lit(i).alias("i")))
        except Exception as e:  # noqa: BLE001
            out[i] = reason(e)
    for at in range(0, len(scans), 40):
        # As a tree of little height, for Spark looks through all of a union whenever it grows.
        union = scans[at:at + 40]
        while len(union) > 1:
            union = [union[j].union(union[j + 1]) if j + 1 < len(union) else union[j] for j in range(0, len(union), 2)]
        for row in union[0].coalesce(2).groupBy("i").count().collect():
            out[row[0]] = row[1]
    return out


def answer(spark, request):
    if "probes" in request:
        return {table: probe(spark, table, *what) for table, what in request["probes"].items()}
    result = {}
    for table, version in request["tables"].items():
        result[table] = read(spark, table, version)
        if request["write"] and "error" not in result[table]:
            result[table]["go on"] = go_on(spark, table)
    return result


def main():
    spark = session()
    for line in sys.stdin:
        print("RESULT " + json.dumps(answer(spark, json.loads(line))), flush=True)
    spark.stop()


main()
