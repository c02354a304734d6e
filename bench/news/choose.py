"""Chooses the pairs of the corpus: ``python -m bench.news.choose FOLDER_OF_CLONES``.

It reads sources.csv and writes documents.jsonl. Documents that are there already stay as they
are, with their half; a new one gets the half that has fewer documents of its kind, in the order
of the hashes of their names.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from bench.news import corpus
from bench.news.clones import Clone, opened
from bench.news.corpus import DOCUMENTS, HERE, MAX_SIZE, Document, Pair, Versions
from connectors.readers.errors import Unreadable
from connectors.readers.reading import read_document

MOST = {"front page": 45}
"""Pairs of a document at most, by its kind; front pages are ten times as long as others."""
USUAL = 60
LEAST = 5
Change = tuple[str, str, str]
"""A commit, and the blobs of the file before and after it."""
HALVES = "tune", "test"


def choose(clones: Path, cache: Path) -> Iterator[Document]:
    """Yield the documents of sources.csv, with the pairs of those that are new."""
    known = {each.document: each for each in corpus.documents()} if DOCUMENTS.exists() else {}
    with (HERE / "sources.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: sha256(_name(row).encode()).hexdigest())
    counts = Counter((each.kind, each.half) for each in known.values())
    for row in rows:
        name = _name(row)
        if name not in known:
            _, half = min((counts[row["kind"], half], half) for half in HALVES)
            found = _document(row, half, clones, Versions(cache))
            if found is None:
                continue
            known[name] = found
            counts[found.kind, half] += 1
        yield known[name]


def _name(row: dict[str, str]) -> str:
    return f"{row['repository']}/{row['path']}"


def _document(row: dict[str, str], half: str, clones: Path, versions: Versions) -> Document | None:
    clone = opened(clones, row["repository"])
    if clone is None:
        sys.exit(f"There is no clone of {row['repository']} in {clones}.")
    most = MOST.get(row["kind"], USUAL)
    pairs = tuple(_pairs(clone, row, most, versions))
    print(f"{_name(row)}: {len(pairs)} pairs, {half}", file=sys.stderr)
    return (
        Document(document=_name(row), **row, half=half, pairs=pairs)
        if len(pairs) >= LEAST
        else None
    )


def _pairs(clone: Clone, row: dict[str, str], most: int, versions: Versions) -> Iterator[Pair]:
    """Yield pairs with different texts, spread over the history."""
    changes = list(clone.changes(row["path"]))[::-1]
    slots = min(most, len(changes))
    for slot in range(slots):
        first, end = (len(changes) * n // slots for n in (slot, slot + 1))
        found = _changed(clone, row["content_type"], changes[first:end])
        if found is not None:
            commit, *blobs = found
            contents = [clone.content(blob) or b"" for blob in blobs]
            for each in contents:
                versions.add(each)
            yield Pair(commit[:12], *map(corpus.hash_of, contents))


def _changed(clone: Clone, content_type: str, changes: list[Change]) -> Change | None:
    """Return the first change of a text, else one that is found by bisection; None if none is."""

    def text(blob: str) -> str:
        """Read a version; "" if it cannot be read or is too large."""
        content = clone.content(blob)
        if content is None or len(content) > MAX_SIZE:
            return ""
        try:
            return read_document(content, None, content_type).text
        except Unreadable:
            return ""

    first, *_, last = changes if len(changes) > 1 else changes * 2
    before, after = text(first[1]), text(first[2])
    if before and after and before != after:
        return first
    low, high, end = 0, len(changes) - 1, text(last[2])
    if not (after and end and after != end):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if text(changes[middle][2]) in ("", after):
            low = middle
        else:
            high = middle
    found = changes[high]
    both = text(found[1]), text(found[2])
    return found if all(both) and both[0] != both[1] else None


def main() -> None:
    """Choose, and write documents.jsonl."""
    clones, cache = (Path(each) for each in sys.argv[1:3])
    found = sorted(choose(clones, cache), key=lambda each: (each.repository, each.path))
    DOCUMENTS.write_text("".join(f"{each.line()}\n" for each in found), "utf-8")


if __name__ == "__main__":
    main()
