"""The titles of items and cards, which no heading of the page's new text says."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from streams.matching.cards import GAP, NAME, WHOLE_SENTENCE, Cards, block_start
from streams.matching.sentences import ADDED, EDITED, REMOVED, ChangedSentence
from streams.matching.stretches import MAX_BLOCK
from streams.text.units import FIELD

_ID = re.compile(
    r"((?:[\w-]+\.)*)\w*(?:id|key|code|slug|symbol|heading|headline|label): ", re.IGNORECASE
)
_LABEL_WORDS, _LABEL_LENGTH = 3, 24
"""Words and characters of a label, at most."""
MAX_TITLE = 120
"""Characters of a line that is a title."""


class Titles:
    """Finds the title of a sentence's item, once for all keywords."""

    def __init__(self, sentences: Sequence[ChangedSentence], cards: Cards) -> None:
        """``sentences`` are those of one change, ``cards`` its cards."""
        self._sentences = sentences
        self._cards = cards

    def above(self, sentence: ChangedSentence) -> tuple[str, ...]:
        """Return the headings above a sentence, and the title of its item.

        That is the first line of a block that came or went with the sentence, or, above a list of
        sentences, their label, such as the version of a list of changes; the name of a value's
        card; of a record, in a document without headings, the field that names it, or its id. A
        large block has none.
        """
        sentence = _as_it_is(sentence)
        headings, text = sentence.region.headings, sentence.place.text
        low, high = max(0, sentence.start - MAX_BLOCK), sentence.end + MAX_BLOCK
        first, last = text.rfind("\n\n", low, sentence.start), text.find("\n\n", sentence.end, high)
        if (first < 0 < low) or (last < 0 and high < len(text)):
            return headings
        start = first + 2 if first >= 0 else 0
        lines = text[start : last if last >= 0 else len(text)].split("\n")
        title = ""
        if not headings and len(lines) > 1 and all(map(FIELD.match, lines[:2])):
            title = _name(lines, text[text.rfind("\n", 0, sentence.start) + 1 : sentence.end])
        elif sentence.change in (ADDED, REMOVED) and self._are_new(sentence, start, lines):
            is_sentence = WHOLE_SENTENCE.match(lines[0])
            title = (is_sentence and self._label(sentence, start)) or lines[0]
        elif name := self._cards.name(sentence):
            title = text[slice(*name)]
        is_above = 0 < len(title) <= MAX_TITLE and title not in headings
        return (*headings, title) if is_above and title not in sentence.text else headings

    def _are_new(self, sentence: ChangedSentence, start: int, lines: Sequence[str]) -> bool:
        """Whether all lines from an offset on came or went with a sentence, the first as a whole.

        Those of a list, in which others stay, have no title.
        """
        place = id(sentence.place)
        starts = accumulate((len(line) + 1 for line in lines[:-1]), initial=start)
        is_whole = self._ends.get((place, start)) == start + len(lines[0])
        return is_whole and all((place, at) in self._ends for at in starts)

    def _label(self, sentence: ChangedSentence, start: int) -> str:
        """Return a new line of a few words that is set apart above a block; empty without one."""
        text, end = sentence.place.text, max(0, start - len(GAP))
        begin = block_start(text, end)
        if not begin or self._ends.get((id(sentence.place), begin)) != end:
            return ""
        label = text[begin:end]
        is_label = label.count(" ") < _LABEL_WORDS and len(label) <= _LABEL_LENGTH
        return label if is_label else ""

    @cached_property
    def _ends(self) -> dict[tuple[int, int], int]:
        """The ends of the sentences that came or went, by place and start."""
        return {
            (id(each.place), each.start): each.end
            for each in self._sentences
            if each.edit.change in (ADDED, REMOVED)
        }


def _as_it_is(sentence: ChangedSentence) -> ChangedSentence:
    """Return the new side of an edited sentence, any other sentence itself.

    The title may be edited as well, and both sides are a single entry.
    """
    place, side = sentence.region.added, sentence.edit.added
    if sentence.change != EDITED or place is None or side is None:
        return sentence
    return sentence._replace(event=ADDED, place=place, start=side.start, end=side.end)


def _name(fields: Sequence[str], value: str) -> str:
    """Return the field that names the record of a value, or its id; empty without one.

    A field ``shoes.name`` names the values of ``shoes`` alone.
    """
    for pattern in (NAME, _ID):
        found = map(pattern.match, fields)
        name = next((each for each in found if each and value.startswith(each[1])), None)
        if name is not None:
            return name.string
    return ""
