"""Draws what is judged by hand: ``python -m bench.news.sample > samples.jsonl``.

A sample shows what changed about a keyword, and nothing that any way answers. Its judge adds
the verdict: "yes", news to whoever follows the keyword; "no", none; "around", the sentence was
edited elsewhere and says the same about the keyword.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from random import Random

from bench.news.cases import Case, cases
from bench.news.corpus import CACHE, documents
from bench.news.truth import ADDED, COSMETIC, EDITED, GONE, MOVED, NEW, REPLACED, Question
from bench.news.words import has, sentences

EXCERPT = 200
"""Characters of a context at most."""
SHARES = {EDITED: 26, COSMETIC: 4, NEW: 2, GONE: 2, REPLACED: 2, MOVED: 2}
"""Samples per kind of page, by class; more edits where a kind lacks the others."""
PER_KIND = 38


def samples(cache: Path, seed: int) -> Iterator[dict[str, str]]:
    """Yield the samples, kind by kind; at most one of a pair."""
    random = Random(seed)  # noqa: S311  # draws samples, guards nothing
    by_kind: dict[str, list[tuple[Case, Question]]] = {}
    for document in documents():
        for case in cases(document, cache, seed):
            by_kind.setdefault(case.kind, []).extend((case, each) for each in case.questions)
    for kind in sorted(by_kind):
        for case, question in _chosen(by_kind[kind], random):
            old, new = contexts(case, question)
            yield {"document": case.document, "commit": case.commit, "keyword": question.keyword,
                   "event": question.event, "old": old, "new": new}  # fmt: skip


def _chosen(asked: list[tuple[Case, Question]], random: Random) -> Iterator[tuple[Case, Question]]:
    random.shuffle(asked)
    used: Counter[str] = Counter()
    left = Counter(SHARES)
    most = PER_KIND // len({case.document for case, _ in asked}) + 3
    for names in ((COSMETIC, NEW, GONE, REPLACED, MOVED), (EDITED,), tuple(SHARES)):
        for case, question in asked:
            name, document = question.name, case.document
            spare = names == tuple(SHARES) and sum(left.values()) > 0
            if name not in names or not (left[name] > 0 or spare):
                continue
            if used[document] < most and not used[document + case.commit]:
                used.update((document, document + case.commit))
                left[name if left[name] > 0 else max(left, key=lambda each: left[each])] -= 1
                yield case, question


def contexts(case: Case, question: Question) -> tuple[str, str]:
    """Return an excerpt of each side: the changed sentence with the keyword, and its partner."""
    old, new = sentences(case.old), sentences(case.new)
    here, there = (new, old) if question.event == ADDED else (old, new)
    changed = _changed(here, there, question.keyword)
    if not changed:  # it stands on both sides, and is shown so
        (sentence,) = _with(here, question.keyword)[:1] or [""]
        return sentence[:EXCERPT], sentence[:EXCERPT]
    partners = _changed(there, here, question.keyword) or list(Counter(there) - Counter(here))
    partner = get_close_matches(changed[0], partners[:500], 1, 0.4) or [""]
    both = _excerpts(changed[0], partner[0], question.keyword)
    return both if question.event != ADDED else (both[1], both[0])


def _changed(here: list[str], there: list[str], keyword: str) -> list[str]:
    return _with(list(Counter(here) - Counter(there)), keyword)


def _with(texts: list[str], keyword: str) -> list[str]:
    return [each for each in texts if has(each, keyword)]


def _excerpts(first: str, second: str, keyword: str) -> tuple[str, str]:
    """Cut both around what differs, with the keyword if there is room for it."""
    alike = next(
        (n for n, pair in enumerate(zip(first, second, strict=False)) if len(set(pair)) > 1), 0
    )
    place = min(alike or len(first), max(first.find(keyword.split(maxsplit=1)[0]), 0))
    start = max(0, place - EXCERPT // 3) if len(first) > EXCERPT else 0
    return first[start : start + EXCERPT], second[start : start + EXCERPT]


def main() -> None:
    """Print the samples, a line each, without a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the versions are kept")
    options = parser.parse_args()
    for each in samples(options.cache, options.seed):
        sys.stdout.write(json.dumps(each, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
