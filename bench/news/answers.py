"""What a way answers about each case of a document, and the CPU time that it takes.

The answers of others are cached, since only Vokter changes from run to run.
"""

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from bench.measuring import timed
from bench.news.cases import Case


class Answer(NamedTuple):
    """The CPU seconds that a case took, and the keywords and events that were notified."""

    seconds: float
    notified: list[tuple[str, str]]


Way = Callable[[Case, list[str]], Answer]
Entries = Callable[[Case, list[str]], list[tuple[str, str, str]]]
"""Returns the keyword, the event and the text of all that is notified."""


def measured(entries: Entries) -> Way:
    """Make a way of a function of this process: its CPU time is counted."""

    def way(case: Case, keywords: list[str]) -> Answer:
        seconds, found = timed(lambda: entries(case, keywords))
        return Answer(seconds, list(dict.fromkeys((keyword, event) for keyword, event, _ in found)))

    return way


def answered(way: Way, found: list[Case]) -> list[Answer]:
    """Ask a way about all cases."""
    return [way(case, case.keywords) if case.questions else Answer(0.0, []) for case in found]


def cached(way: Way, found: list[Case], version: str, cache: Path) -> list[Answer]:
    """Return the answers of an earlier run about the same cases, or ask."""
    hashed = sha256(version.encode())
    for case in found:
        hashed.update(repr((case.commit, case.old_hash, case.new_hash, case.questions)).encode())
    file = cache.expanduser() / "answers" / f"{hashed.hexdigest()[:16]}.gz"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(json.dumps(answered(way, found)).encode(), 3, mtime=0))
    return [
        Answer(seconds, [(keyword, event) for keyword, event in notified])
        for seconds, notified in json.loads(gzip.decompress(file.read_bytes()))
    ]
