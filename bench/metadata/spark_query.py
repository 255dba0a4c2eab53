"""One statement in a Spark session of its own: spark_query.py CONF.json. Prints what compare.py keeps, as JSON."""

import json
import os
import sys
import time

import queries
import same

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "internal", "peers"))
from process import peak, processor
from session import session


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
