"""Under which words a subscription is found, whatever a document's language."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from schemas.facts import Hunk, Subscription
from streams.core.keywords import ANY, phrases
from streams.core.tokens import WORD
from streams.core.words import TURKISH, Form, is_stopword_anywhere, normal

UNDETERMINED = "und"


class Kind(NamedTuple):
    """How a subscription wants words compared, but for the language."""

    stemming: bool
    ignore_case: bool


PLAIN = Kind(stemming=False, ignore_case=False)


class Term(NamedTuple):
    """A word that is in every passage that a keyword matches, and another one if there is.

    In normal form but for the stem, which takes the language of the document.
    """

    word: str
    other: str | None


class ChangeWords:
    """The different words of a change, in each normal form that is asked for."""

    def __init__(self, hunks: Iterable[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self._hunks = hunks
        self._forms: dict[Kind, frozenset[str]] = {}

    def forms(self, kind: Kind) -> frozenset[str]:
        """Give the normal forms, among the plain ones ``*``, which every change has."""
        if kind not in self._forms:
            form = Form(self.language, *kind)
            found = frozenset(normal(word, form) for word in self._words)
            self._forms[kind] = found | {ANY} if kind == PLAIN else found
        return self._forms[kind]

    @cached_property
    def _words(self) -> frozenset[str]:
        sides = (side for hunk in self._hunks for side in (hunk.removed, hunk.added) if side)
        return frozenset().union(*(WORD.findall(passage.text) for passage in sides))


def terms(
    subscription: Subscription, frequency: Callable[[str], int]
) -> Iterator[tuple[Kind, Term]]:
    """Give the terms of a subscription: one of them is in every change that it is told.

    Of each keyword the rarest word by ``frequency``, then the longest. Where words
    may be taken out as stop words, the rarest that is none in any language; if there
    is no such word, each of them, as in no language all are taken out.
    """
    kind = Kind(subscription.enable_stemming, subscription.ignore_case)
    for keyword in dict.fromkeys(subscription.keywords):
        if keyword == ANY:
            yield PLAIN, Term(ANY, None)
        else:
            for words in _readings(keyword, kind):
                found = _chosen(words, frequency, kept=not subscription.filter_stopwords)
                yield from ((kind, term) for term in found)


def _readings(keyword: str, kind: Kind) -> Iterator[dict[str, str]]:
    """The normal forms of a keyword's words, each with a word as it is written.

    Once more, if they differ, as in a Turkish document: no other language has a case of its own.
    """
    anywhere, turkish = (_words(keyword, kind, each) for each in (UNDETERMINED, TURKISH))
    yield anywhere
    if turkish != anywhere:
        yield turkish


def _words(keyword: str, kind: Kind, language: str) -> dict[str, str]:
    form = Form(language, False, kind.ignore_case)
    return {normal(word, form): word for phrase in phrases(keyword) for word in phrase}


def _chosen(
    words: dict[str, str], frequency: Callable[[str], int], *, kept: bool
) -> Iterator[Term]:
    telling = [normal_ for normal_, word in words.items() if kept or not is_stopword_anywhere(word)]
    telling.sort(key=lambda word: (frequency(word), -len(word)))
    if telling:
        yield Term(telling[0], telling[1] if len(telling) > 1 else None)
    else:
        yield from (Term(word, None) for word in words)
