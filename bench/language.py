"""Language and stems of a page that is visited again and again, by Vokter and from scratch.

From scratch is langdetect on the whole text and Snowball in pure Python on each of its
words, at each visit. Neither is charged for finding the words, folding their case for
the peer, or comparing the page with its last state: that is another section.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import langdetect
from rich.table import Table

from bench.measuring import Run, timed
from schemas.records.answers import Reading, Response
from schemas.records.changes import Region
from schemas.records.documents import Document
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.state.snapshots import state_after_page
from streams.diff.regions import changed_regions
from streams.text.language import detect_language
from streams.text.stemming import ALGORITHMS
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm, normal_form

PACKAGES = ("langdetect", "snowballstemmer", "PyStemmer")
LENGTH = 1_500
VISITS, CHANGED = 100, 15
"""After the first visit, and how many words are others at each: one in a hundred."""
ROOT = Path(__file__).parents[1]
PROSE = ("architecture", "rest", "plugins", "settings", "topics", "development")
DUE = DueView("http://document.test/", "w", 1, WatchedView())


class Seen(NamedTuple):
    """What one visit took (CPU seconds) and gave."""

    time: float
    language: str
    stems: list[str]


def table(run: Run) -> Table:
    """Measure on prose of this project, then on a page in each language of the tests."""
    chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
    langdetect.DetectorFactory.seed = 0
    _ = detect_language("warm"), langdetect.detect("warm")
    kept, scratch = measured(prose(chance), every=10)
    pages = json.loads((ROOT / "tests/text/languages.json").read_text("utf-8"))
    others = {language: measured(counting(text), every=10) for language, text in pages.items()}
    assert all(seen[-1].language == language for language, (seen, _) in others.items())
    result = Table(f"page of {LENGTH:,} words", "Vokter ms", "from scratch ms", "ratio",
                   title="language and stems, a visit")  # fmt: skip
    add(result, "English, the first visit", kept[:1], scratch[:1])
    add(result, f"English, {CHANGED} words changed", kept[1:], scratch[1:])
    add(
        result,
        f"{len(others)} languages, a number changed",
        [each for seen, _ in others.values() for each in seen[1:]],
        [each for _, seen in others.values() for each in seen[1:]],
    )
    return result


def add(result: Table, name: str, kept: Sequence[Seen], scratch: Sequence[Seen]) -> None:
    """Add a row: the mean of all visits, as some detect the language and most do not."""
    own, peer = mean(each.time for each in kept), mean(each.time for each in scratch)
    result.add_row(name, f"{own * 1e3:.2f}", f"{peer * 1e3:.1f}", f"{peer / own:,.0f}")


def prose(chance: random.Random) -> list[str]:
    """Return states of an English page: at each visit some words in a row are new."""
    texts = [(ROOT / f"docs/{name}.md").read_text("utf-8") for name in PROSE]
    words = " ".join(texts).split()
    page, pool = words[:LENGTH], words[LENGTH:]
    states = [" ".join(page)]
    for _ in range(VISITS):
        at, other = chance.randrange(LENGTH - CHANGED), chance.randrange(len(pool) - CHANGED)
        page[at : at + CHANGED] = pool[other : other + CHANGED]
        states.append(" ".join(page))
    return states


def counting(text: str) -> list[str]:
    """Return states of a page with a repeated text and a number that changes."""
    page = "\n".join([text] * (1 + LENGTH // len(WORD.findall(text))))
    return [f"{page} {count}" for count in range(11)]


def measured(pages: Sequence[str], every: int) -> tuple[list[Seen], list[Seen]]:
    """Visit all states of a page, and the first and then every few of them from scratch."""
    seen = list(kept(pages))
    scratch = [from_scratch(page) for page in pages[::every]]
    for own, peer in zip(seen[::every], scratch, strict=True):
        assert (own.language, own.stems) == (peer.language, peer.stems), "the two differ"
    return seen, scratch


def kept(pages: Sequence[str]) -> Iterator[Seen]:
    """Visit a page as a worker does, and bring all of its words into their normal form."""
    document, old = Document(DUE.url, DUE.watch, 0), None
    for new in pages:
        found = () if old is None else changed_regions(old, new)
        visit = partial(_visit, document, new, found, WORD.findall(new))
        time, (document, stems) = timed(visit)
        old = new
        yield Seen(time, document.language or "", stems)


def _visit(
    before: Document, text: str, found: tuple[Region, ...], words: list[str]
) -> tuple[Document, list[str]]:
    page, reading = FetchedPage(Response(200), b"", 0), Reading(text, "text/plain")
    after = state_after_page(before, DUE, page, reading, lambda *_: found, detect_language)
    form = WordForm(after.language or "", stemming=True, ignore_case=True)
    return after, [normal_form(word, form) for word in words]


def from_scratch(page: str) -> Seen:
    """Detect the language from the whole text, and stem each word by Snowball's Python."""
    finding, language = timed(lambda: langdetect.detect(page).partition("-")[0])
    form = WordForm(language, stemming=False, ignore_case=True)
    words, stem = [normal_form(word, form) for word in WORD.findall(page)], _pure(language)
    stemming, stems = timed(lambda: [stem(word) for word in words])
    return Seen(finding + stemming, language, stems)


def _pure(language: str) -> Callable[[str], str]:
    """Return Snowball's pure Python, which the package skips if PyStemmer is installed."""
    algorithm = ALGORITHMS.get(language)
    if algorithm is None:
        return str
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    stemmer: Callable[[str], str] = getattr(module, f"{algorithm.title()}Stemmer")().stemWord
    return stemmer
