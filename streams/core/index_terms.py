"""Under which words a subscription is found, whatever a document's language."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from schemas.facts import Hunk, Subscription
from streams.core.keywords import ANY, phrases
from streams.core.stemming import stems
from streams.core.tokens import WORD
from streams.core.words import TURKISH, Form, is_stopword_anywhere, normal, unstemmed

UNDETERMINED = "und"


Kind = tuple[bool, bool]
"""How a subscription wants words compared, but for the language: by stems, by case folded."""

_MARKS = dict(zip(product((False, True), repeat=2), "abcd", strict=True))
"""What goes before a word to tell it from those of other kinds."""
_STEMMED = frozenset(mark for (stemming, _), mark in _MARKS.items() if stemming)
_ANY = _MARKS[False, False] + ANY

Term = tuple[str, str | None]
"""A word that is in every passage that a keyword matches, and another one if there is.

Marked with its kind, and in normal form but for the stem, which takes the language of
the document.
"""


class ChangeWords:
    """The different words of a change, in each normal form that is asked for."""

    def __init__(self, hunks: Iterable[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self._hunks = hunks

    def marked(self, kinds: Iterable[Kind]) -> frozenset[str]:
        """Give the normal forms of these kinds, and the plain ``*``, which every change has."""
        found = {_ANY}
        for each in kinds:
            form = Form(self.language, *each)
            found.update(_MARKS[each] + normal(word, form) for word in self._words)
        return frozenset(found)

    @cached_property
    def _words(self) -> frozenset[str]:
        sides = (side for hunk in self._hunks for side in (hunk.removed, hunk.added) if side)
        return frozenset().union(*(WORD.findall(passage.text) for passage in sides))


def kind(subscription: Subscription) -> Kind:
    """Give how a subscription wants words compared."""
    return subscription.enable_stemming, subscription.ignore_case


def is_stemmed(word: str) -> bool:
    """Tell whether a marked word is of a kind that is stemmed."""
    return word[0] in _STEMMED


def formed(words: Sequence[str], language: str) -> list[str]:
    """Give the forms of marked words in a language."""
    stemmed = iter(stems([word[1:] for word in words if is_stemmed(word)], language))
    return [word[0] + next(stemmed) if is_stemmed(word) else word for word in words]


def terms(subscription: Subscription, frequency: Callable[[str], int]) -> list[Term]:
    """Give the terms of a subscription: one of them is in every change that it is told.

    Of each keyword the rarest word by ``frequency``, then the longest. Where words
    may be taken out as stop words, the rarest that is none in any language; if there
    is no such word, each of them, as in no language all are taken out.
    """
    found: list[Term] = []
    for keyword in dict.fromkeys(subscription.keywords):
        if keyword == ANY:
            found.append((_ANY, None))
        else:
            for words in _readings(keyword, kind(subscription)):
                found += _chosen(words, frequency, kept=not subscription.filter_stopwords)
    return found


def _readings(keyword: str, kind: Kind) -> Iterator[dict[str, str]]:
    """The marked forms of a keyword's words, each with a word as it is written.

    Once more, if they differ, as in a Turkish document: no other language has a case of its own.
    """
    anywhere = _words(keyword, kind, UNDETERMINED)
    yield anywhere
    if not keyword.isascii() or "I" in keyword:
        turkish = _words(keyword, kind, TURKISH)
        if turkish != anywhere:
            yield turkish


def _words(keyword: str, kind: Kind, language: str) -> dict[str, str]:
    mark, ignore_case = _MARKS[kind], kind[1]
    return {
        mark + unstemmed(word, language, ignore_case=ignore_case): word
        for phrase in phrases(keyword)
        for word in phrase
    }


def _chosen(words: dict[str, str], frequency: Callable[[str], int], *, kept: bool) -> list[Term]:
    telling = [marked for marked, word in words.items() if kept or not is_stopword_anywhere(word)]
    if len(telling) < 2:
        return [(word, None) for word in telling or words]
    telling.sort(key=lambda word: (frequency(word), -len(word)))
    return [(telling[0], telling[1])]
