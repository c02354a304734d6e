"""Searches among the changes seen by a manager's watches, for REST, the page and a command."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from connectors.stores.pages import ChangeSearch, FoundChange, ListingPage
from connectors.stores.ports import ChangeSearcher
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged
from schemas.records.subscriptions import Subscription

MAX_WORDS = 16
"""Words of a search."""
Phrases = Sequence[tuple[str, ...]]
"""The words of each phrase of a search; a found change has all phrases."""


class MarkedText(Protocol):
    """A part of a sentence; ``marks`` are the starts and ends of its found words."""

    @property
    def text(self) -> str:
        """At most 300 characters."""

    @property
    def marks(self) -> Sequence[tuple[int, int]]:
        """In characters, in order."""


@dataclass(frozen=True, slots=True)
class SearchWords:
    """Functions of words.

    ``choices`` returns the terms of phrases in each language, ``excerpt`` None if a change does
    not have all phrases.
    """

    phrases: Callable[[str], Phrases]
    choices: Callable[[Phrases], tuple[tuple[str, ...], ...]]
    excerpt: Callable[[DocumentChanged, Phrases], MarkedText | None]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A found change, with a subscription to its page, and the matches."""

    subscription: Subscription
    change: DocumentChanged
    excerpt: MarkedText


class ChangeSearches:
    """Searches of callers."""

    def __init__(self, searcher: ChangeSearcher, words: SearchWords) -> None:
        """Search in ``searcher``."""
        self._searcher = searcher
        self._words = words

    def phrases(self, text: str) -> Phrases:
        """Return the phrases of a search; raises ValueError if there is none, or too many."""
        phrases = self._words.phrases(text)
        count = sum(map(len, phrases))
        if not 0 < count <= MAX_WORDS:
            raise ValueError(f"q: expected 1 to {MAX_WORDS} words, not {count}")
        return phrases

    async def found(
        self, manager: str, phrases: Phrases, since: int, after: str | None, limit: int
    ) -> ListingPage[FoundChange]:
        """List the changes with all words since a time (epoch ms), newest first."""
        choices = self._words.choices(phrases)
        if not choices:
            return ListingPage((), None)
        return await self._searcher.find(manager, ChangeSearch(choices, since), after, limit)

    def hits(self, page: ListingPage[FoundChange], phrases: Phrases) -> ListingPage[SearchHit]:
        """Return those of a page with all phrases, with excerpts; slow for large changes."""
        found = ((each, self._words.excerpt(each.change, phrases)) for each in page.items)
        hits = [SearchHit(one.subscription, one.change, text) for one, text in found if text]
        return ListingPage(tuple(hits), page.next)


def parts_of(excerpt: MarkedText) -> Iterator[tuple[str, bool]]:
    """Yield an excerpt in parts, each with whether a found word."""
    end = 0
    for start, after in excerpt.marks:
        yield excerpt.text[end:start], False
        yield excerpt.text[start:after], True
        end = after
    yield excerpt.text[end:], False


def hit_json(hit: SearchHit) -> dict[str, Any]:
    """Return a found change, in the form of the API and the command."""
    return {
        "subscription": hit.subscription.id,
        "name": hit.subscription.name,
        "change": hit.change.id,
        "url": hit.change.url,
        "title": hit.change.title,
        "snippet": hit.excerpt.text,
        "marks": list(map(list, hit.excerpt.marks)),
        "at": rfc3339(hit.change.at),
    }
