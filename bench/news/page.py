"""Prints docs/notifications-of-real-pages.md: ``python -m bench.news.page --before FOLDER``.

FOLDER is a checkout of Vokter as it was before decision 21 (commit 2062777). Documents, pairs and
keywords are drawn by a seed; a draw of which neither code notifies is passed over.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.news.cases import Case, cases
from bench.news.corpus import CACHE, HERE, Document, Versions, documents
from bench.news.ours import diffs_of
from connectors.display.entries import shown_entries
from connectors.display.plain import entries_text
from connectors.readers.reading import read_document
from schemas.records.changes import Diff

COUNT, SEED = 20, 17
LENGTH = 300
"""Characters of an entry that are shown."""

TITLE = """# Notifications of real pages

{count} notifications before and after [decision 21](decisions/0021-blocks-first.md), for anyone \
to judge: the first entry as plain text, {length} characters of it at most, and how many more \
there are. Before, an entry was a snippet; `⏎` is a line feed in it. Documents, versions and \
keywords were drawn with seed {seed} from the corpus of \
[`make bench-news`](performance.md#news-of-real-pages), at most one of a document; {passed} draws \
of which neither code notifies were passed over. `python -m bench.news.page` prints this page."""


class Drawn(NamedTuple):
    """What a subscription to a keyword was sent of a pair by the earlier code, and is sent now."""

    document: Document
    commit: str
    keyword: str
    before: list[str]
    after: tuple[Diff, ...]


def draws(earlier: "Earlier", cache: Path, seed: int) -> Iterator[Drawn]:
    """Yield one draw of each document, in an order that is drawn as well."""
    random = Random(seed)  # noqa: S311  # draws samples, guards nothing
    wanted = list(documents())
    random.shuffle(wanted)
    versions = Versions(cache)
    for document in wanted:
        pair = random.choice(document.pairs)
        for case in cases(replace(document, pairs=(pair,)), cache, seed):
            if case.keywords:
                keyword = random.choice(case.keywords)
                new = read_document(versions[pair.new], None, document.content_type)
                after = diffs_of(case, keyword, "sentence", new.headings)
                yield Drawn(document, pair.commit, keyword, earlier(case, keyword), after)


class Earlier:
    """The earlier code, in a process."""

    def __init__(self, folder: Path, cache: Path) -> None:
        """``folder`` is its checkout."""
        self._versions = Versions(cache)
        self._process = subprocess.Popen(  # noqa: S603  # ends with its standard input
            [sys.executable, "-P", str(HERE / "peers/earlier_side.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder.resolve())},
        )  # fmt: skip

    def __call__(self, case: Case, keyword: str) -> list[str]:
        """Return the entries that it sends of a keyword."""
        old, new = (self._versions[each] for each in (case.old_hash, case.new_hash))
        asked = {
            "content_type": case.content_type, "language": case.language, "keyword": keyword,
            "old": old.decode("utf-8", "replace"), "new": new.decode("utf-8", "replace"),
        }  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return [each.replace("\n", " ⏎ ") for each in answer]


def page(found: Iterator[Drawn], count: int, seed: int) -> Iterator[str]:
    """Yield the parts of the page."""
    passed, parts = 0, list[str]()
    for each in found:
        if each.before or each.after:
            parts.append(_part(len(parts) + 1, each))
        else:
            passed += 1
        if len(parts) == count:
            break
    yield TITLE.format(count=count, length=LENGTH, seed=seed, passed=passed)
    yield from parts


def _part(number: int, drawn: Drawn) -> str:
    document = drawn.document
    return (
        f"## {number}. “{drawn.keyword}”\n\n"
        f"`{document.document}` at `{drawn.commit[:10]}` ({document.kind})\n\n"
        f"```text\nBEFORE  {_shown(drawn.before[:1], len(drawn.before))}\n"
        f"AFTER   {_shown(*_first(drawn.after))}\n```"
    )


def _first(diffs: tuple[Diff, ...]) -> tuple[list[str], int]:
    """Return the first entry as people see it, and how many there are."""
    shown, more = shown_entries(diffs)
    one = [each for each in diffs if _edit(each) == _edit(diffs[0])]
    is_edit = bool(diffs) and diffs[0].change == "edited"
    return [entries_text(one if is_edit else diffs[:1])] if diffs else [], len(shown) + more


def _edit(diff: Diff) -> tuple[str, ...]:
    return diff.change, diff.before, diff.after, *diff.headings


def _shown(first: list[str], count: int) -> str:
    """Return an entry within its bound, and how many more there are."""
    if not first:
        return "(no notification)"
    text = first[0] if len(first[0]) <= LENGTH else f"{first[0][:LENGTH]} …"
    more = [f"(and {count - 1} more)"] if count > 1 else []
    return "\n        ".join([*text.split("\n"), *more])


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="the checkout of earlier code")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the versions are kept")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    earlier = Earlier(options.before, options.cache)
    print("\n\n".join(page(draws(earlier, options.cache, options.seed), COUNT, options.seed)))


if __name__ == "__main__":
    main()
