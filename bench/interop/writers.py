"""PyIceberg writes to a table from several processes while Firn maintains it: see README.md.

usage: bench/interop/writers.py --work FOLDER [--seconds N] [--firn BINARY]
"""

import argparse
import multiprocessing
import os
import random
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench", "internal", "peers"))

import server  # noqa: E402
import wire  # noqa: E402

TABLE = "busy.rows"
PAUSE = 1  # between calls, in seconds; without it PyIceberg's commits hardly ever come first
SPAN = 1_000_000  # each writer has ids of its own
KINDS = ("append", "delete", "upsert")
CALLS = (
    "CALL l.system.rewrite_data_files(table => 'busy.rows', options => map('min-input-files', '2'))",
    "CALL l.system.rewrite_data_files(table => 'busy.rows', options => map('min-input-files', '2', 'partial-progress.enabled', 'true'))",
    "CALL l.system.rewrite_data_files(table => 'busy.rows', strategy => 'sort', sort_order => 'id DESC', options => map('rewrite-all', 'true'))",
    "CALL l.system.rewrite_manifests('busy.rows')",
    "CALL l.system.expire_snapshots(table => 'busy.rows', older_than => now(), retain_last => 10)",
)


def catalog(work):
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("l", uri="sqlite:///%s/catalog.db" % work, warehouse="file://%s/wh" % work)


def rows(ids, version):
    import pyarrow as pa

    return pa.table({"id": pa.array(ids, pa.int64()), "version": pa.array([version] * len(ids), pa.int64())})


class Writer:
    """Makes changes of one kind, and knows what the table must then have of its ids."""

    def __init__(self, work, number, kind):
        self.catalog, self.kind, self.random = catalog(work), kind, random.Random(number)
        self.model, self.next, self.version, self.lost = {}, number * SPAN, 0, 0

    def run(self, until):
        changes, ids = 0, self.fresh(50)
        self.change(lambda table: table.append(rows(ids, 0)), dict.fromkeys(ids, 0))
        while time.time() < until:
            getattr(self, self.kind)()
            changes += 1
        return self.model, changes, self.lost

    def fresh(self, n):
        self.next += n
        return list(range(self.next - n, self.next))

    def append(self):
        ids = self.fresh(self.random.randint(1, 20))
        self.change(lambda table: table.append(rows(ids, 0)), dict.fromkeys(ids, 0))

    def delete(self):
        if len(self.model) < 10:
            return self.append()
        gone = self.random.sample(sorted(self.model), 3)
        condition = "id IN (%s)" % ", ".join(map(str, gone))
        self.change(lambda table: table.delete(condition), dict.fromkeys(gone))

    def upsert(self):
        self.version += 1
        ids = self.random.sample(sorted(self.model), 3) + self.fresh(2)
        self.change(lambda table: table.upsert(rows(ids, self.version), join_cols=["id"]), dict.fromkeys(ids, self.version))

    def change(self, make, effect):
        """Makes a change, as often as it takes, and notes its effect: versions by id, None where the row is gone."""
        while not self.attempt(make):
            self.lost += 1
            time.sleep(self.random.random() / 5)
        for row, version in effect.items():
            if version is None:
                del self.model[row]
            else:
                self.model[row] = version

    def attempt(self, make):
        from pyiceberg.exceptions import CommitFailedException, ValidationException
        from sqlalchemy.exc import OperationalError

        try:
            make(self.catalog.load_table(TABLE))
            return True
        except (CommitFailedException, ValidationException, FileNotFoundError):
            return False  # another writer came first, or a file that the plan needed has expired
        except OperationalError as e:
            if "locked" not in str(e):
                raise
            return False


def write(work, number, kind, until, results):
    try:
        results.put((number, *Writer(work, number, kind).run(until)))
    except Exception as e:  # noqa: BLE001 - the parent reports it
        results.put((number, None, "%s %s: %s" % (kind, type(e).__name__, e), 0))


def maintain(connection, until):
    """Makes calls one after another, and counts how they end."""
    done, refused = dict.fromkeys(CALLS, 0), {}
    while time.time() < until:
        for call in CALLS:
            try:
                connection.query(call)
                done[call] += 1
            except wire.Error as e:
                refused[str(e)[:160]] = refused.get(str(e)[:160], 0) + 1
            time.sleep(PAUSE)
    return done, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True, help="scratch folder, emptied")
    parser.add_argument("--firn", default=os.path.join(ROOT, "bin", "firn"))
    parser.add_argument("--seconds", type=int, default=60)
    args = parser.parse_args()
    work = os.path.abspath(args.work)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(os.path.join(work, "wh"))
    c = catalog(work)
    c.create_namespace("busy")
    c.create_table(TABLE, schema=rows([], 0).schema, properties={"format-version": "2"})

    until = time.time() + args.seconds
    spawn = multiprocessing.get_context("spawn")
    results = spawn.Queue()
    writers = [spawn.Process(target=write, args=(work, i, kind, until, results)) for i, kind in enumerate(KINDS)]
    for w in writers:
        w.start()
    settings = "  l:\n    type: sql\n    uri: file:%s/catalog.db\n    warehouse: file://%s/wh\n" % (work, work)
    with server.Server(args.firn, work, os.path.join(work, "none"), settings=settings) as firn:
        done, refused = maintain(firn.connect(600), until)
        ended = [results.get(timeout=300) for _ in writers]
    for w in writers:
        w.join()
    sys.exit(report(c, ended, done, refused))


def report(c, ended, done, refused):
    """Compares the table with what the writers know; returns the exit status."""
    want, bad = {}, 0
    for number, model, changes, lost in sorted(ended, key=lambda e: e[0]):
        if model is None:
            print(changes)
            bad += 1
            continue
        print("%-7s %d changes, %d attempts lost" % (KINDS[number], changes, lost))
        want.update(model)
    for call, n in done.items():
        print("%4d x %s" % (n, call))
    for text, n in refused.items():
        print("%4d x refused: %s" % (n, text))
    scan = c.load_table(TABLE).scan().to_arrow()
    got = sorted(zip(scan["id"].to_pylist(), scan["version"].to_pylist()))
    if got != sorted(want.items()):
        missing, extra = set(want.items()) - set(got), set(got) - set(want.items())
        print("DIFFERS: %d rows, want %d; missing %s, extra %s" % (len(got), len(want), sorted(missing)[:5], sorted(extra)[:5]))
        bad += 1
    else:
        print("same %d rows" % len(got))
    if not all(done.values()):
        bad += 1
    return min(bad, 1)


if __name__ == "__main__":
    main()
