"""Tokens of a judged change: the questions of judge, compared with a raw diff and its page.

``python -m bench.judging``: 50 changes of the pages of ``make bench-news``, one of a document,
drawn by a seed. The other side is the same instructions with a unified diff of the texts and the
first 30,000 characters of the page. A token is taken for four characters.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from bench.news.cases import Case, cases
from bench.news.corpus import CACHE, documents
from bench.news.ours import diffs_of
from connectors.model import CHARACTERS_OF_A_TOKEN
from schemas.records.changes import Diff
from schemas.records.judgements import Judging
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from streams.agents.judge.questions import judge_query

COUNT, SEED = 50, 17
PAGE = 30_000
"""Characters of the page, sent with a raw diff."""
RULE = "only what somebody who uses this would want to know; nothing about typography"


class Sizes(NamedTuple):
    """Tokens of a change as judge asks about it, and as a raw diff with the page."""

    ours: int
    raw: int


def main() -> None:
    """Print the tokens of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="the versions of the pages")
    sizes = list(_sizes(parser.parse_args().cache))
    table = Table(title=f"Tokens (characters / 4) of {len(sizes)} changes")
    for name in ("", "median", "90 %", "all"):
        table.add_column(name, justify="right")
    for name, values in (
        ("judge", sorted(each.ours for each in sizes)),
        ("raw diff and page", sorted(each.raw for each in sizes)),
    ):
        ninth = values[len(values) * 9 // 10]
        table.add_row(name, f"{median(values):,.0f}", f"{ninth:,}", f"{sum(values):,}")
    share = sum(each.ours for each in sizes) / sum(each.raw for each in sizes)
    typical = median(each.ours / each.raw for each in sizes)
    Console().print(table, f"judge takes {share:.1%} of all, {typical:.1%} of a typical change")


def _sizes(cache: Path) -> Iterator[Sizes]:
    random = Random(SEED)  # noqa: S311 - draws samples, guards nothing
    wanted, found = list(documents()), 0
    random.shuffle(wanted)
    for document in wanted:
        pair = random.choice(document.pairs)
        for case in cases(replace(document, pairs=(pair,)), cache, SEED):
            diffs = diffs_of(case, "*")
            if diffs and found < COUNT:
                found += 1
                yield _size(case, diffs)


def _size(case: Case, diffs: tuple[Diff, ...]) -> Sizes:
    notification = Notification(
        id="n", change="c", subscription="s", manager="m", receiver=Receiver(session="s"),
        status="ok", url="https://example.org/page", content_type="text/html", diffs=diffs,
        truncated=False, at=0, rotation=0, rotated=0, watch="w", test=False, title="A page",
        language=case.language,
    )  # fmt: skip
    query = judge_query(notification, Judging(RULE))
    lines = unified_diff(case.old.splitlines(), case.new.splitlines(), lineterm="")
    around = len(query.instructions) + len(query.schema)
    raw = around + len("\n".join(lines)) + len(case.new[:PAGE])
    return Sizes(*(size // CHARACTERS_OF_A_TOKEN for size in (around + len(query.data), raw)))


if __name__ == "__main__":
    main()
