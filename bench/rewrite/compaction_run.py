"""iceberg-compaction's part: compaction_run.py CONF.json runs the call of a case on a table of a REST catalog, and prints JSON."""

import json
import sys

import cases
import measured
from iceberg_compaction import Compaction, CompactionConfig, RestCatalog


def main():
    with open(sys.argv[1]) as f:
        conf = json.load(f)
    case = cases.CASES[conf["case"]]
    catalog = RestCatalog("b", uri=conf["rest"], warehouse="file://" + conf["warehouse"])
    # Spark's target, and its processors.
    config = CompactionConfig(strategy="full", target_file_size_bytes=512 << 20, max_input_parallelism=2, max_output_parallelism=2)

    def compact(table):
        r = Compaction(catalog, "bench." + table, config).run()
        return r and (r.input_files_count, r.output_files_count, r.output_bytes_total)

    if case.warm:
        compact("warmup")
    print(json.dumps(measured.run(lambda: compact(case.table))))


main()
