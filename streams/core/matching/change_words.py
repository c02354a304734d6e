"""The words of one change, found once for all that see them alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from schemas.facts import Hunk, Passage
from streams.core.text.tokens import words
from streams.core.text.word_forms import WordForm, is_stopword, normal_forms

ADDED = "added"
REMOVED = "removed"


class ChangedPassage(NamedTuple):
    """A passage of a change; ``replaced`` by the next one."""

    event: str
    passage: Passage
    replaced: bool


class ChangeWords:
    """Which passages have which words; passages are bits of a number, in document order."""

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self.sides = tuple(_sides(hunks))
        self._forms: dict[WordForm, dict[str, str]] = {}
        self._places: dict[tuple[WordForm, bool], Mapping[str, int]] = {}

    def places(self, form: WordForm, filtered: bool) -> Mapping[str, int]:
        """Give the passages that have each word, by its normal form.

        ``filtered`` leaves out stop words.
        """
        key = form, filtered
        if key not in self._places:
            chosen = self._telling if filtered else self._by_word
            self._places[key] = _by(zip(self._normals(chosen, form), chosen.values(), strict=True))
        return self._places[key]

    def _normals(self, words: Iterable[str], form: WordForm) -> Iterable[str]:
        known = self._forms.setdefault(form, {})
        new = [word for word in words if word not in known]
        known.update(zip(new, normal_forms(new, form), strict=True))
        return map(known.__getitem__, words)

    @cached_property
    def _telling(self) -> dict[str, int]:
        """The passages that have a word that is no stop word, as it is written."""
        every = self._by_word.items()
        return {word: places for word, places in every if not is_stopword(word, self.language)}

    @cached_property
    def _by_word(self) -> dict[str, int]:
        """The passages that have a word, as it is written."""
        sides = enumerate(self.sides)
        return _by((word, 1 << n) for n, side in sides for word in words(side.passage.text))


def _by(found: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Unite the passages of each word."""
    united: dict[str, int] = {}
    for word, passages in found:
        united[word] = united.get(word, 0) | passages
    return united


def _sides(hunks: Sequence[Hunk]) -> Iterator[ChangedPassage]:
    """Give what was removed before what was added in its place."""
    for hunk in hunks:
        if hunk.removed is not None:
            yield ChangedPassage(REMOVED, hunk.removed, hunk.added is not None)
        if hunk.added is not None:
            yield ChangedPassage(ADDED, hunk.added, False)
