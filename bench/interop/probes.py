"""Do statistics lead readers astray? Conditions whose answers are known are put to readers that skip files, row groups and pages.

A table's data files, which must have no deletes, are read whole with pyarrow. For every column of a simple type equality with its
least, greatest and middle value, and with zeros of both signs, makes conditions and the least and greatest
make ranges; nulls and NaN are asked for wherever they could be. How many rows meet each is counted in memory. Then DuckDB and
Spark's own Parquet reader (which uses page indexes) count on the files, PyIceberg and Spark on the table.
"""

import math

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def simple(t):
    # Python's datetime knows no nanoseconds.
    return (pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t) or pa.types.is_string(t) or pa.types.is_large_string(t)
            or pa.types.is_date(t) or pa.types.is_timestamp(t) and t.unit != "ns" or pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_boolean(t))


def values(column):
    """The values to ask for, each with its operators."""
    column = column.drop_null()
    if not pa.types.is_floating(column.type):
        some = sorted(set(column.to_pylist()))
        return with_ranges(some, True)
    whole = column.filter(pc.invert(pc.is_nan(column)))
    some = sorted(set(whole.to_pylist()))
    # SQL has NaN greater than all numbers, Arrow has it beyond comparison.
    asked = with_ranges(some, len(whole) == len(column))
    if 0.0 in some:
        asked += [(v, o) for v in (0.0, -0.0) for o in ["="] + ["<="] * (some[0] == 0) + [">="] * (some[-1] == 0 and len(whole) == len(column))]
    return asked


def with_ranges(some, upwards):
    if not some:
        return []
    asked = [(some[0], "="), (some[len(some) // 2], "="), (some[-1], "="), (some[0], "<=")]
    return asked + [(some[-1], ">=")] if upwards else asked


OPERATORS = {"=": pc.equal, "<=": pc.less_equal, ">=": pc.greater_equal}


def conditions(table):
    """Triples of column, operator and value, with how many rows meet them."""
    out, asked = [], set()
    for name in table.column_names:
        column = table.column(name)
        if not simple(column.type):
            continue
        out.append(((name, "null", ""), column.null_count))
        out.append(((name, "not null", ""), len(column) - column.null_count))
        if pa.types.is_floating(column.type):
            out.append(((name, "nan", ""), pc.sum(pc.is_nan(column)).as_py() or 0))
        for value, operator in values(column):
            key = (name, operator, repr(value))
            if key not in asked:
                asked.add(key)
                met = OPERATORS[operator](column, pa.scalar(value, type=column.type))
                out.append(((name, operator, value), pc.sum(met).as_py() or 0))
    return out


def read(files, names):
    """All rows of some files; None if they are of an older schema of the table, whose columns have these names."""
    if not all(f.endswith(".parquet") for f in files):
        return None
    tables = [pq.ParquetFile(f).read() for f in files]
    if any(not t.schema.equals(tables[0].schema) or t.column_names[:len(names)] != list(names) for t in tables):
        return None
    return pa.concat_tables(tables)


def text(value):
    """A value as it is sent to Spark."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def by_duckdb(db, source, asked):
    """Counts of a table, whose metadata file is given with a connection that can read it, or else of Parquet files."""
    import duckdb

    read = "iceberg_scan(?)" if db else "read_parquet(?, hive_partitioning = false)"
    db = db or duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    out = []
    for name, operator, value in asked:
        column = '"%s"' % name.replace('"', '""')
        condition = {"null": column + " IS NULL", "not null": column + " IS NOT NULL", "nan": "isnan(%s)" % column}.get(operator)
        try:
            query = "SELECT count(*) FROM %s WHERE %s" % (read, condition or column + operator + "?")
            out.append(db.execute(query, [source] if condition else [source, value]).fetchone()[0])
        except duckdb.Error as e:  # a type, or a decimal that it takes for one of fewer digits than the column's
            out.append(str(e)[:80])
    return out


class Cached:
    """A manifest whose entries are decoded once for all conditions."""

    def __init__(self, manifest, io):
        self.manifest, self.entries = manifest, manifest.fetch_manifest_entry(io)

    def __getattr__(self, name):
        return getattr(self.manifest, name)

    def fetch_manifest_entry(self, io, discard_deleted=True):
        return self.entries


def by_pyiceberg(table, local, asked):
    """Counts by PyIceberg's planner and readers; manifests are decoded once, files opened where they are, not by way of S3."""
    from pyiceberg import expressions
    from pyiceberg.io.pyarrow import ArrowScan, PyArrowFileIO
    from pyiceberg.table import ManifestGroupPlanner
    from pyiceberg.types import FloatType

    class Local(PyArrowFileIO):
        def new_input(self, location):
            return super().new_input(local(location))

    io = Local()
    manifests = [Cached(m, io) for m in table.current_snapshot().manifests(io)]
    kinds = {"=": expressions.EqualTo, "<=": expressions.LessThanOrEqual, ">=": expressions.GreaterThanOrEqual}
    alone = {"null": expressions.IsNull, "not null": expressions.NotNull, "nan": expressions.IsNaN}
    out = []
    for name, operator, value in asked:
        if hasattr(value, "isoformat"):
            value = value.isoformat()
        elif not isinstance(value, (str, bytes, int, float, bool)):
            value = str(value)
        column = expressions.Reference(name)
        try:
            if value in (math.inf, -math.inf) and isinstance(table.schema().find_type(name), FloatType):
                raise NotImplementedError("takes an infinite literal for one that no FLOAT reaches")
            condition = alone[operator](column) if operator in alone else kinds[operator](column, value)
            tasks = ManifestGroupPlanner(table.metadata, io, condition).plan_files(manifests)
            out.append(ArrowScan(table.metadata, io, table.schema().select(name), condition).to_table(tasks).num_rows)
        except Exception as e:  # noqa: BLE001 - what cannot be asked is no wrong answer
            out.append("%s: %s" % (type(e).__name__, str(e)[:80]))
    return out
