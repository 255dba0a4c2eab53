"""What Firn does to every table, one stage after another, and what its files then say of themselves."""

import json
import re

import pyarrow.parquet as pq

NAMES = ["deletes", "binpack", "sort", "order", "zorder", "hilbert", "decode", "expire"]

SORTED = {"boolean", "int", "long", "float", "double", "date", "timestamp", "timestamptz", "string", "binary", "uuid"}


def schema(lake, table):
    with open(lake.local(lake.location(table))) as f:
        metadata = json.load(f)
    fields = next(s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"])["fields"]
    return metadata, fields


def columns(metadata, fields):
    """The columns to sort by, the ones with the most telling types first."""
    spec = next(s for s in metadata["partition-specs"] if s["spec-id"] == metadata["default-spec-id"])
    partition = {f["source-id"] for f in spec["fields"]}
    names = [f["name"] for f in fields if isinstance(f["type"], str) and (f["type"] in SORTED or f["type"].startswith("decimal"))
             and f["id"] not in partition and re.fullmatch("[a-z_0-9]+", f["name"])]
    return sorted(names, key=lambda n: n == "id")


def calls(stage, table, lake):
    metadata, fields = schema(lake, table)
    names = columns(metadata, fields)

    def rewrite(arguments="", options=""):
        return ["CALL lake.system.rewrite_data_files(table => '%s'%s, options => map('rewrite-all', 'true'%s))" % (table, arguments, options)]

    def sort(order):
        return rewrite(", strategy => 'sort', sort_order => '%s'" % order)

    if stage == "deletes":
        return ["CALL lake.system.rewrite_position_delete_files(table => '%s', options => map('rewrite-all', 'true'))" % table,
                "CALL lake.system.rewrite_manifests(table => '%s')" % table]
    if stage == "binpack":
        return rewrite()
    if stage == "sort":
        turns = ["DESC NULLS LAST", "ASC NULLS LAST", "DESC NULLS FIRST"]
        return sort(", ".join("%s %s" % pair for pair in zip(names, turns))) if names else []
    if stage == "order":
        own = metadata.get("default-sort-order-id", 0)
        return rewrite(", strategy => 'sort'") if own else []
    if stage in ("zorder", "hilbert"):
        # These curves take all columns, of every type.
        return sort("%s(%s)" % (stage, ", ".join(names[:4]))) if len(names) > 1 else []
    if stage == "decode":
        return rewrite(options=", 'decode-all', 'true'")
    return rewrite() + ["CALL lake.system.rewrite_manifests(table => '%s')" % table,
                        "CALL lake.system.expire_snapshots(table => '%s', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)" % table]


def live(catalog, lake, table):
    """The local paths of data files, none if deletes apply; the sort order id of each; the metadata."""
    loaded = catalog.load_table(table)
    files, deletes = {}, False
    snapshot = loaded.current_snapshot()
    for manifest in snapshot.manifests(loaded.io) if snapshot else []:
        for entry in manifest.fetch_manifest_entry(loaded.io, discard_deleted=True):
            if entry.data_file.content.value == 0:
                files[lake.local(entry.data_file.file_path)] = entry.data_file.sort_order_id
            else:
                deletes = True
    if deletes or not all(path.endswith(".parquet") for path in files):
        return [], {}, None
    return list(files), files, loaded.metadata


def disordered(table, orders, metadata):
    """Files that claim a sort order of plain columns whose rows are not in it."""
    wrong = {}
    for path, number in orders.items():
        order = next((o for o in metadata.sort_orders if o.order_id == number), None) if number else None
        if number and order is None:
            wrong["%s, %s" % (table, path)] = "sort order %d is unknown" % number
        elif order and all(str(f.transform) == "identity" for f in order.fields):
            rows = pq.ParquetFile(path).read()
            keys = []
            for f in order.fields:
                values, last = rows.column(metadata.schema_by_id(metadata.current_schema_id).find_column_name(f.source_id)).to_pylist(), f.null_order.value == "nulls-last"
                keys.append((values, f.direction.value == "desc", last))
            if any(before(keys, i + 1, i) for i in range(rows.num_rows - 1)):
                wrong["%s, %s" % (table, path)] = "rows are not in sort order %d" % number
    return wrong


def unindexed(table, paths):
    """Files with a column that lacks a page index; of floating-point numbers only with offsets, for NaN has no bounds."""
    wrong = {}
    for path in paths:
        metadata = pq.ParquetFile(path).metadata
        chunks = [metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)]
        lacking = {c.path_in_schema for c in chunks if not (c.has_offset_index and (c.has_column_index or c.physical_type in ("FLOAT", "DOUBLE")))}
        if lacking:
            wrong["%s, %s" % (table, path)] = "no page index of " + ", ".join(sorted(lacking))
    return wrong


def before(keys, a, b):
    """Whether row a must come before row b."""
    for values, down, last in keys:
        x, y = values[a], values[b]
        if x == y:
            continue
        if x is None or y is None:
            return (x is None) != last
        return (x > y) if down else (x < y)
    return False
