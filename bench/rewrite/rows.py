"""What a table holds: rows.py METADATA [CONDITION] prints files, bytes and a digest of the rows as JSON.

Run it with a Python that has pyiceberg, pyarrow and duckdb. Data files are read as they are: deletes that would apply are counted
only, and the condition says which rows they leave.
"""

import json
import sys

import duckdb
from pyiceberg.manifest import DataFileContent
from pyiceberg.table import StaticTable

COLUMNS = "id customer_id event_time amount token status price note".split()


def local(entry):
    return entry.data_file.file_path.removeprefix("file://").removeprefix("file:")


def main():
    table = StaticTable.from_metadata(sys.argv[1])
    data, deletes = [], []
    for manifest in table.current_snapshot().manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            (data if entry.data_file.content == DataFileContent.DATA else deletes).append(entry)
    db = duckdb.connect(config={"threads": 2})
    # An equality delete applies to older files, a position delete to the files that it names.
    equality = [d for d in deletes if d.data_file.content == DataFileContent.EQUALITY_DELETES]
    positions = [local(d) for d in deletes if d.data_file.content == DataFileContent.POSITION_DELETES]
    named = {row[0] for row in db.execute("SELECT DISTINCT file_path FROM read_parquet(?)", [positions]).fetchall()} if positions else set()
    applies = sum(e.data_file.file_path in named or any(d.sequence_number > e.sequence_number for d in equality) for e in data)
    paths = [local(e) for e in data]
    where = " WHERE " + sys.argv[2] if len(sys.argv) > 2 else ""
    count, digest = db.execute("SELECT count(*), CAST(sum(hash(%s)) AS VARCHAR) FROM read_parquet(?)%s" % (", ".join(COLUMNS), where), [paths]).fetchone()
    print(json.dumps({"files": len(data), "bytes": sum(e.data_file.file_size_in_bytes for e in data), "files_with_deletes": applies,
                      "rows": count, "digest": digest}))


main()
