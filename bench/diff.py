"""What changed in a text: by words, and by characters with semantic clean-up.

The peers run without a time limit, and without their line mode: that is no diff by
characters. The text is the licence as a page's would be read, one line a paragraph.
"""

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

import fast_diff_match_patch
from diff_match_patch import diff_match_patch
from rich.console import Group
from rich.table import Table

from bench.measuring import Run, timed, typical
from schemas.records.changes import Place, Region, Sentence
from streams.diff.regions import changed_regions
from streams.text.tokens import WORD

PACKAGES = ("rapidfuzz", "diff-match-patch", "fast-diff-match-patch")
LICENCE = Path(__file__).parents[1] / "LICENSE"
PAIRS = 3
EDITS = (("3 words", 3, 1), ("3 sentences", 3, 12), ("26 words", 26, 1), ("280 words", 280, 1))
"""Name, how many places are edited, how many words in a row are replaced there."""
LARGE = 5_000_000
"""Bytes of a text at the bounds."""
_WORD = re.compile(r"\S+")
_PARAGRAPH = re.compile(r"\n\s*\n")

Span = tuple[int, int]
Spans = tuple[list[Span], list[Span]]
"""Where the old and the new text have a passage that the other has not."""


def table(run: Run) -> Group:
    """Measure edits of a small text, then texts at the bounds."""
    return Group(edits(run), large(run))


def edits(run: Run) -> Table:
    """Replace words of the licence by others of its words, at places evenly apart."""
    text = licence()
    title = f"diff of {len(text):,} characters, medians of {PAIRS} pairs"
    result = Table("replaced", "edits", "ms", "dmp ms", "ratio", "fast-dmp ms", "ratio",
                   "cut words", "dmp's", "fast-dmp's", title=title)  # fmt: skip
    for name, places, length in EDITS:
        chance = random.Random(run.seed)  # noqa: S311 - to be repeated, not to be secret
        pairs = [(text, edited(text, places, length, chance)) for _ in range(PAIRS)]
        rows = zip(*(measured(*pair) for pair in pairs), strict=True)
        found, ours, slow, fast, *cut = map(median, rows)
        result.add_row(name, f"{found:.0f}", f"{ours * 1e3:.3f}", f"{slow * 1e3:,.2f}",
                       f"{slow / ours:.0f}", f"{fast * 1e3:.2f}", f"{fast / ours:.1f}",
                       *(f"{each:.0f}" for each in cut))  # fmt: skip
    return result


def measured(old: str, new: str) -> list[float]:
    """Return the number of edits, seconds by each, and words that each cuts."""
    regions = changed_regions(old, new)
    spans = spans_of_regions(regions), spans_of(pure(old, new)), spans_of(fast(old, new))
    first = timed(lambda: pure(old, new))[0]
    return [
        sum(len(region.edits) for region in regions),
        typical(lambda: changed_regions(old, new), 31),
        first if first > 0.1 else typical(lambda: pure(old, new), 5),
        typical(lambda: fast(old, new), 11),
        *(cut_words(old, each[0]) + cut_words(new, each[1]) for each in spans),
    ]


def pure(old: str, new: str) -> list[tuple[int, int]]:
    """Compare with diff-match-patch; signs and lengths."""
    engine = diff_match_patch()
    engine.Diff_Timeout = 0
    diffs = engine.diff_main(old, new, checklines=False)
    engine.diff_cleanupSemantic(diffs)
    return [(sign, len(text)) for sign, text in diffs]


def fast(old: str, new: str) -> list[tuple[int, int]]:
    """Compare with its port to C++."""
    found = fast_diff_match_patch.diff(
        old, new, timelimit=0, checklines=False, cleanup="Semantic", counts_only=True
    )
    return [({"-": -1, "+": 1, "=": 0}[sign], length) for sign, length in found]


def spans_of_regions(found: Iterable[Region]) -> Spans:
    """Return the changed words of regions."""
    spans: Spans = ([], [])
    for region in found:
        for edit in region.edits:
            is_whole = edit.change != "edited"
            spans[0].extend(_spans(region.removed, edit.removed, is_whole))
            spans[1].extend(_spans(region.added, edit.added, is_whole))
    return spans


def _spans(place: Place | None, sentence: Sentence | None, is_whole: bool) -> Iterator[Span]:
    if place is not None and sentence is not None:
        for run in [sentence] if is_whole else sentence.changed:
            yield place.start + run.start, place.start + run.end


def spans_of(diffs: list[tuple[int, int]]) -> Spans:
    """Return the passages of a list of signs and lengths."""
    found: Spans = ([], [])
    at = [0, 0]
    for sign, length in diffs:
        for side, own in enumerate((-1, 1)):
            if sign in (0, own):
                at[side] += length
            if sign == own:
                found[side].append((at[side] - length, at[side]))
    return found


def cut_words(text: str, spans: list[Span]) -> int:
    """Count the words within which a passage begins or ends."""
    edges = {edge for span in spans for edge in span}
    words = (range(word.start() + 1, word.end()) for word in WORD.finditer(text))
    return sum(not edges.isdisjoint(inside) for inside in words)


def licence() -> str:
    """Return the text with each paragraph as one line."""
    paragraphs = _PARAGRAPH.split(LICENCE.read_text("utf-8"))
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def edited(text: str, places: int, length: int, chance: random.Random) -> str:
    """Replace some words in a row at each of some places."""
    words = list(_WORD.finditer(text))
    step, parts, at = len(words) // places, [], 0
    for place in range(places):
        first = place * step + chance.randrange(max(1, step - length))
        others = (each[0] for each in chance.choices(words, k=length))
        parts += [text[at : words[first].start()], " ".join(others)]
        at = words[first + length - 1].end()
    return "".join([*parts, text[at:]])


def large(run: Run) -> Table:
    """Compare what cannot be aligned word by word in bounded time, and one edit of a page."""
    result = Table("two texts", "bytes each", "edits", "s", title="bounds")
    for name, old, new in bounds(random.Random(run.seed)):  # noqa: S311 - to be repeated
        seconds, found = timed(lambda old=old, new=new: changed_regions(old, new))  # type: ignore[misc]
        edits = sum(len(region.edits) for region in found)
        result.add_row(name, f"{len(old.encode()):,}", f"{edits:,}", f"{seconds:.4f}")
    return result


def bounds(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Name pairs of texts."""
    words = [f"word{n:05d}" for n in range(40_000)]
    han = [chr(0x4E00 + n) for n in range(20)]
    for name, blank in (("blanks", " "), ("line feeds", "\n"), ("commas", ",")):
        yield (f"nothing shared, {name} between", blank.join(_filling(words[::2], chance)),
               blank.join(_filling(words[1::2], chance)))  # fmt: skip
        yield (f"20 words repeated, {name} between", blank.join(_filling(words[:20], chance)),
               blank.join(_filling(words[:20], chance)))  # fmt: skip
    yield (
        "20 Han characters repeated",
        "".join(_filling(han, chance)),
        "".join(_filling(han, chance)),
    )
    page = (licence() + "\n") * 6
    half = page.index("\n", len(page) // 2)
    yield "a paragraph comes into a page", page, f"{page[:half]}\nSomething quite new.{page[half:]}"


def _filling(values: list[str], chance: random.Random) -> list[str]:
    return chance.choices(values, k=LARGE // (len(values[0].encode()) + values[0].isascii()))
