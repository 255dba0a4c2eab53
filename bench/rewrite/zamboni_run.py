"""iceberg-zamboni's part: zamboni_run.py CONF.json runs the call of a case on a table of a SQL catalog, and prints JSON."""

import json
import sys

import cases
import measured
from pyiceberg.catalog.sql import SqlCatalog
from zamboni import CatalogSession, CompactionConfig, TableCompactor


def main():
    with open(sys.argv[1]) as f:
        conf = json.load(f)
    case = cases.CASES[conf["case"]]
    catalog = SqlCatalog("b", uri=conf["uri"], warehouse="file://" + conf["warehouse"])
    session = CatalogSession.from_catalog(catalog, threads=2)
    order = {}
    if case.sort.startswith("zorder"):
        order["zorder_columns"] = ("customer_id", "event_time")
    elif case.sort:
        order["sort_expression"] = case.sort
    config = CompactionConfig(rewrite_all=case.everything, temp_directory=conf["scratch"], **order)

    def compact(table):
        return TableCompactor(session, "bench." + table, config).execute().as_dict()

    if case.warm:
        compact("warmup")
    print(json.dumps(measured.run(lambda: compact(case.table))))


main()
