"""One form for the values of both engines, so that answers can be compared."""

import datetime
import decimal
import hashlib
import json
import struct

WHOLE, FRACTION, JSON = {1, 2, 3, 8, 9}, {0, 4, 5, 246}, 245


def digest(rows):
    """Equal for equal multisets of rows."""
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def of_wire(columns, row):
    """A row as Firn's server writes it."""
    return [cell(kind, value) for (_, kind), value in zip(columns, row)]


def cell(kind, value):
    if value is None:
        return None
    text = value.decode()
    if kind in WHOLE:
        return plain(int(text))
    if kind in FRACTION:
        return plain(decimal.Decimal(text))
    if kind == JSON:
        return plain(json.loads(text, parse_float=decimal.Decimal))
    return text


def plain(value):
    """A value of Python's in that form. Fractions are compared as 32-bit floats: one engine widens a float, the other writes its
    shortest digits."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (float, decimal.Decimal)):
        single = struct.unpack("f", struct.pack("f", float(value)))[0]
        return str(int(single)) if single.is_integer() else repr(single)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if hasattr(value, "asDict"):
        return {name: plain(v) for name, v in value.asDict().items()}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return [plain(v) for v in value]
