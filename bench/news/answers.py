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

Way = Callable[[Case, list[str]], list[tuple[str, str, str]]]
"""Returns the keyword, the event and the text of all that it notifies of."""


class Answer(NamedTuple):
    """The CPU seconds that a case took, and the keywords and events that were notified."""

    seconds: float
    told: list[tuple[str, str]]


def answered(way: Way, found: list[Case]) -> list[Answer]:
    """Ask a way about all cases."""
    return [_answer(way, case) for case in found]


def _answer(way: Way, case: Case) -> Answer:
    keywords = case.keywords
    if not keywords:
        return Answer(0.0, [])
    seconds, entries = timed(lambda: way(case, keywords))
    return Answer(seconds, list(dict.fromkeys((keyword, event) for keyword, event, _ in entries)))


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
        Answer(seconds, [(keyword, event) for keyword, event in told])
        for seconds, told in json.loads(gzip.decompress(file.read_bytes()))
    ]
