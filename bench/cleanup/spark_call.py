"""One call in a Spark session of its own: spark_call.py CONF.json. Prints what compare.py keeps, as JSON."""

import json
import os
import sys
import time

import cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "internal", "peers"))
from process import peak, processor
from session import session


def main():
    with open(sys.argv[1]) as f:
        conf = json.load(f)
    spark = session(conf)
    spark.sql("SELECT 1").collect()
    jvm = spark.sparkContext._gateway.proc.pid
    before, start = processor(jvm), time.monotonic()
    rows = spark.sql(conf["call"]).collect()
    seconds = time.monotonic() - start
    result = {"seconds": seconds, "processor": processor(jvm) - before, "peak_mb": peak("self") + peak(jvm)}
    print(json.dumps(dict(result, **cases.answer(rows))))
    spark.stop()


main()
