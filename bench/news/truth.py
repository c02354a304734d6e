"""What is to be notified of a change, by the identity of its items: no diff is asked.

A keyword in an item that is new on the page, or gone from it, is to be notified. One that is
only in sentences that stand on both sides equally often is not. What is left, a keyword in a
sentence that was edited, is for judges (``judged.jsonl``).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bench.news.items import Item
from bench.news.words import has, masked, sentences

ADDED, REMOVED = "added", "removed"
NEW, GONE, REPLACED = "new item", "gone item", "replaced"
NEW_WORD, GONE_WORD, PAIR = "new word", "gone word", "two words of one item"
OTHER, UNCHANGED, MOVED, TWO = "other event", "unchanged", "moved only", "and of two items"
COSMETIC, EDITED = "cosmetic", "edited"
DUE = (NEW, GONE, REPLACED, NEW_WORD, GONE_WORD, PAIR)
NOT_DUE = (OTHER, UNCHANGED, MOVED, TWO)
UNJUDGED = (COSMETIC, EDITED)
JUDGED = {verdict: f"judged: {verdict}" for verdict in ("yes", "no", "around")}
"""Classes of the samples that were judged by hand."""


class Question(NamedTuple):
    """Whether an event of a keyword is to be notified: its class says."""

    keyword: str
    event: str
    name: str
    """The class: one of DUE, NOT_DUE or UNJUDGED."""


@dataclass(frozen=True)
class Side:
    """A version: the text that is read in it, and its items."""

    text: str
    items: dict[str, Item]

    @cached_property
    def sentences(self) -> list[str]:
        """The sentences of the text, in order."""
        return sentences(self.text)

    def having(self, keyword: str) -> list[str]:
        """Return the sentences with a keyword."""
        return [each for each in self.sentences if has(each, keyword)]


class Truth:
    """The truth about one pair of versions."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old, self.new = old, new
        texts = [{"\n".join(item) for item in side.items.values()} for side in (old, new)]
        self.gone = _only_in(old.items, new.items, texts[1])
        self.came = _only_in(new.items, old.items, texts[0])
        common = [key for key in old.items if key in new.items]
        changed = [key for key in common if old.items[key] != new.items[key]]
        self.edited = [_text(side.items[key]) for key in changed for side in (old, new)]

    @cached_property
    def moved(self) -> frozenset[str]:
        """The sentences that stand once on each side, but in another order."""
        old, new = (Counter(side.sentences) for side in (self.old, self.new))
        common = [each for each in self.old.sentences if old[each] == new[each] == 1]
        at = {each: n for n, each in enumerate(self.new.sentences)}
        kept = _longest_rising([at[each] for each in common])
        return frozenset(each for n, each in enumerate(common) if n not in kept)

    def questions(self, keyword: str) -> Iterable[Question]:
        """Return what is asked about a keyword: whether each event is to be notified."""
        old, new = self.old.having(keyword), self.new.having(keyword)
        came, gone = _any_has(self.came, keyword), _any_has(self.gone, keyword)
        edited = _any_has(self.edited, keyword)
        if (came and not new) or (gone and not old) or not (old or new):
            return ()  # nobody sees the keyword: it is in an attribute or an address
        if came or gone:
            more, less = Counter(new) - Counter(old), Counter(old) - Counter(new)
            names = (_of_items(NEW, came, gone, more=edited or bool(more)),
                     _of_items(GONE, gone, came, more=edited or bool(less)))  # fmt: skip
        elif edited or Counter(old) != Counter(new):
            names = _of_sentences(old, new)
        else:
            names = (MOVED if self.moved.intersection(old) else UNCHANGED,) * 2
        asked = zip((ADDED, REMOVED), names, strict=True)
        return [Question(keyword, event, name) for event, name in asked if name]

    def both(self, first: str, second: str, event: str) -> Iterable[Question]:
        """Return the question about a keyword of two words, each of a new or gone item."""
        side, changed = (self.new, self.came) if event == ADDED else (self.old, self.gone)
        keyword = f"{first} {second}"
        if any(has(each, keyword) for each in side.sentences):
            alike = any(has(each, keyword) for item in changed for each in sentences(item))
            return [Question(keyword, event, PAIR)] if alike else ()
        if any(has(_text(each), keyword) for each in side.items.values()):
            return ()
        return [Question(keyword, event, TWO)]


def _only_in(here: dict[str, Item], there: dict[str, Item], texts: set[str]) -> list[str]:
    """Return the texts of the items that are here only, and do not stand there by another name."""
    return [
        _text(item) for key, item in here.items() if key not in there and _text(item) not in texts
    ]


def _text(item: Item) -> str:
    return "\n".join(item)


def _any_has(texts: Iterable[str], keyword: str) -> bool:
    return any(has(each, keyword) for each in texts)


def _of_items(name: str, here: bool, there: bool, *, more: bool) -> str:
    """Return the class of an event, of whose side ``here`` is; "" if something else may be due."""
    if here:
        return REPLACED if there else name
    return "" if more else OTHER


def _of_sentences(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    if not old:
        return NEW_WORD, OTHER
    if not new:
        return OTHER, GONE_WORD
    cosmetic = Counter(map(masked, old)) == Counter(map(masked, new))
    return (COSMETIC if cosmetic else EDITED,) * 2


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Return where a longest rising subsequence is: what is not in it has moved."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for n, number in enumerate(numbers):
        size = bisect_left(ends, number)
        ends[size : size + 1], places[size : size + 1] = [number], [n]
        before.append(places[size - 1] if size else -1)
    kept, at = set[int](), places[-1] if places else -1
    while at >= 0:
        kept.add(at)
        at = before[at]
    return kept
