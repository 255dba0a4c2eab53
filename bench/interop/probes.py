"""Do statistics lead readers astray? Conditions whose answers are known are put to readers that skip files, row groups and pages.

A table's data files, which must have no deletes, are read whole with pyarrow. For every column of a simple type equality with its
least, greatest and middle value, and with zeros of both signs, makes conditions, and the least and greatest make ranges; how many
rows meet each is counted in memory. Then DuckDB and
Spark's own Parquet reader (which uses page indexes) count on the files, PyIceberg and Spark on the table.
"""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def simple(t):
    # Python's datetime knows no nanoseconds.
    return (pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t) or pa.types.is_string(t) or pa.types.is_large_string(t)
            or pa.types.is_date(t) or pa.types.is_timestamp(t) and t.unit != "ns" or pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_boolean(t))


def values(column):
    """The values to ask for, and whether they can be compared with more than equality."""
    t, column = column.type, column.drop_null()
    if pa.types.is_floating(t):
        whole = column.filter(pc.invert(pc.is_nan(column)))
        some = sorted(set(whole.to_pylist()))
        zeros = [0.0, -0.0] if 0.0 in some else []
        picked = [some[0], some[len(some) // 2], some[-1]] + zeros if some else []
        return picked, len(whole) == len(column)
    some = sorted(set(column.to_pylist()))
    return ([some[0], some[len(some) // 2], some[-1]] if some else []), True


OPERATORS = {"=": pc.equal, "<=": pc.less_equal, ">=": pc.greater_equal}


def conditions(table):
    """Triples of column, operator and value, with how many rows meet them."""
    out, asked = [], set()
    for name in table.column_names:
        column = table.column(name)
        if not simple(column.type):
            continue
        found, ordered = values(column)
        for value in found:
            for operator in ["="] + ["<="] * (ordered and value == found[0]) + [">="] * (ordered and value == found[2]):
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


def by_duckdb(files, asked):
    import duckdb

    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    out = []
    for name, operator, value in asked:
        query = 'SELECT count(*) FROM read_parquet(?) WHERE "%s" %s ?' % (name.replace('"', '""'), operator)
        try:
            out.append(db.execute(query, [files, value]).fetchone()[0])
        except duckdb.ConversionException as e:  # it takes a decimal for one of fewer digits than the column's
            out.append(str(e)[:80])
    return out


def by_pyiceberg(table, asked):
    from pyiceberg import expressions

    kinds = {"=": expressions.EqualTo, "<=": expressions.LessThanOrEqual, ">=": expressions.GreaterThanOrEqual}
    out = []
    for name, operator, value in asked:
        if hasattr(value, "isoformat"):
            value = value.isoformat()
        elif not isinstance(value, (str, bytes, int, float, bool)):
            value = str(value)
        try:
            out.append(table.scan(row_filter=kinds[operator](expressions.Reference(name), value)).to_arrow().num_rows)
        except Exception as e:  # noqa: BLE001 - what cannot be asked is no wrong answer
            out.append("%s: %s" % (type(e).__name__, str(e)[:80]))
    return out
