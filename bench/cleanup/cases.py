"""The calls that both engines run, and what is done with their answers."""

import collections
import hashlib

Case = collections.namedtuple("Case", "call changes what")

ALL = {
    "expire": Case("CALL b.system.expire_snapshots(table => 'bench.expire', retain_last => 1)", True,
                   "`expire_snapshots` of 999 of 1,000 snapshots of 100,000 files, 99,900 files deleted with 1,998 of metadata"),
    "orphans": Case("CALL b.system.remove_orphan_files(table => 'bench.orphans', dry_run => true)", False,
                    "`remove_orphan_files`, dry run: 1,000,000 files listed, 99,000 of them orphans"),
    "manifests": Case("CALL b.system.rewrite_manifests('bench.manifests')", True,
                      "`rewrite_manifests` of 100,000 entries in 2,000 manifests"),
}


def answer(rows):
    """What is kept of an answer: its rows if they are few, their number, and a digest of them without order."""
    lines = sorted("\t".join("NULL" if cell is None else str(cell) for cell in row) for row in rows)
    return {"rows": len(rows), "digest": hashlib.sha256("\n".join(lines).encode()).hexdigest(), "first": lines[:1]}
