"""Prints the notifications of bench/news/notifications.md: ``python -m bench.news.page``.

Documents of the test half, pairs and keywords are drawn by a seed; a draw of which nothing is
notified is passed over. With ``--whole`` nothing is cut off, for who judges them.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.news.cases import cases
from bench.news.corpus import CACHE, Document, documents
from bench.news.ours import diffs_of
from connectors.display.entries import shown_entries
from connectors.display.plain import entries_text
from schemas.records.changes import Diff

COUNT, SEED = 60, 43
LENGTH = 200
"""Characters of a notification that are shown."""


class Drawn(NamedTuple):
    """The notification of a pair that a subscription to a keyword was sent."""

    document: Document
    commit: str
    keyword: str
    diffs: tuple[Diff, ...]


def draws(cache: Path, seed: int) -> Iterator[Drawn]:
    """Yield notifications, one of each document before a second one of any."""
    random = Random(seed)  # noqa: S311  # draws samples, guards nothing
    wanted = [each for each in documents() if each.half == "test"]
    drawn = set[str]()
    while True:
        random.shuffle(wanted)
        for document in wanted:
            pair = random.choice([each for each in document.pairs if each.new not in drawn])
            drawn.add(pair.new)
            for case in cases(replace(document, pairs=(pair,)), cache, seed):
                if case.keywords:
                    keyword = random.choice(case.keywords)
                    diffs = diffs_of(case, keyword)
                    if diffs:
                        yield Drawn(document, pair.commit, keyword, diffs)


def part(number: int, drawn: Drawn, length: int) -> str:
    """Return a notification as people get it in a message, up to so many characters."""
    text = entries_text(drawn.diffs)
    shown, more = shown_entries(drawn.diffs)
    cut = f"{text[:length].rstrip()} …" if len(text) > length else text
    count = len(shown) + more
    return (
        f"## {number}. “{drawn.keyword}”\n\n"
        f"`{drawn.document.document}` at `{drawn.commit[:10]}` ({drawn.document.kind}"
        f"{f', {count} entries' if count > 1 else ''})\n\n```text\n{cut}\n```"
    )


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the versions are kept")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--whole", action="store_true", help="cut nothing off")
    options = parser.parse_args()
    found = islice(draws(options.cache, options.seed), COUNT)
    for number, each in enumerate(found, 1):
        print(part(number, each, 10**9 if options.whole else LENGTH), end="\n\n")


if __name__ == "__main__":
    main()
