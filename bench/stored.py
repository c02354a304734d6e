"""What a deployment keeps on disk: the log of each topic, and the tables of a SQLite store."""

import re
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

PARTITION = re.compile(r"(?P<topic>.+)-\d+(?:\.[0-9a-f]+-(?:delete|stray))?")
_TABLES = """
    SELECT m.tbl_name, sum(s.pgsize) FROM dbstat('main', 1) s
    JOIN sqlite_master m ON m.name = s.name GROUP BY 1
"""


def topic_logs(broker: Path, prefix: str) -> dict[str, int]:
    """Return the bytes of each topic's log, without the prefix, in a local broker's folder."""
    found: Counter[str] = Counter()
    for log in (broker / "kafka").glob("*/*.log"):
        named = PARTITION.fullmatch(log.parent.name)
        if named is not None:
            found[named["topic"].removeprefix(prefix)] += size(log)
    return dict(found)


def store_tables(path: Path) -> dict[str, int]:
    """Return the bytes of each table with its indexes."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        return dict(store.execute(_TABLES))


def folder(path: Path) -> int:
    """Return the bytes of all files in a folder; some may be deleted meanwhile."""
    return sum(size(each) for each in path.rglob("*"))


def size(path: Path) -> int:
    """Return the bytes of a file, 0 if it has just been deleted or is a folder."""
    with suppress(OSError):
        return path.stat().st_size if path.is_file() else 0
    return 0
