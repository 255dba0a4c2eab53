"""What is measured: tables, and the call on each."""

import dataclasses

ORDER = "customer_id ASC NULLS LAST, event_time ASC NULLS LAST"
CURVE = "zorder(customer_id, event_time)"


@dataclasses.dataclass(frozen=True)
class Table:
    files: int
    rows: int  # in each file
    deletes: str = ""  # "position" or "equality": every twentieth row is deleted
    of: tuple = ()  # tables whose data files, linked, make this one; files and rows are then theirs


@dataclasses.dataclass(frozen=True)
class Case:
    table: str
    doc: str
    sort: str = ""
    everything: bool = False  # files that the planner would leave alone too
    warm: bool = False  # after another call in the same process


TABLES = {
    "a": Table(400, 60_000),
    "b": Table(40, 600_000),
    "c": Table(4_000, 300),
    "c2": Table(20_000, 300, of=("c",) * 5),
    "d": Table(400, 60_000, "position"),
    "e": Table(400, 60_000, "equality", of=("a",)),
    "f": Table(100, 60_000),
    "f2": Table(440, 0, of=("a", "b")),
    "h": Table(5, 1),
    "warmup": Table(5, 1),
}

CASES = {
    "a": Case("a", "400 files of 2.7 MB"),
    "b": Case("b", "40 files of 27 MB", everything=True),
    "c": Case("c", "4,000 files of 16 KB"),
    "c2": Case("c2", "20,000 files of 16 KB: those of c five times"),
    "d": Case("d", "a with 5 % position deletes"),
    "e": Case("e", "a with 5 % equality deletes"),
    "f": Case("f", "100 files of 2.7 MB sorted by two columns", sort=ORDER),
    "g": Case("f", "the same in Z-order", sort=CURVE),
    "f2": Case("f2", "the files of a and b, 2.2 GB, sorted by two columns", sort=ORDER, everything=True),
    "g2": Case("f2", "the same in Z-order", sort=CURVE, everything=True),
    "h": Case("h", "5 files of one row"),
    "hw": Case("h", "the same, second call of a process", warm=True),
}


def call(case, table):
    """The statement, for a table of the catalog b."""
    order = f", strategy => 'sort', sort_order => '{case.sort}'" if case.sort else ""
    options = "'rewrite-all', 'true'" if case.everything else "'min-input-files', '2'"
    return f"CALL b.system.rewrite_data_files(table => 'bench.{table}', options => map({options}){order})"
