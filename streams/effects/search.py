"""The words of a search, stemmed as those of keywords are."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from connectors.reads.change_search import MarkedText, Phrases, SearchWords
from schemas.records.changes import DocumentChanged
from streams.effects.stemmers import all_languages, stemmer_language
from streams.settings import Settings
from streams.text.change_terms import change_terms, searched_phrases, term_choices
from streams.text.excerpts import excerpt


def terms_of(settings: Settings) -> Callable[[DocumentChanged], str]:
    """Return the function for the terms of a change, with the plugged-in stemmers."""
    language = stemmer_language(settings)
    return lambda change: change_terms(change, language(change.language))


def search_words(settings: Settings) -> SearchWords:
    """Return the functions of a search, with the plugged-in stemmers."""
    language, languages = stemmer_language(settings), all_languages(settings)

    def choices(phrases: Phrases) -> tuple[tuple[str, ...], ...]:
        return term_choices(phrases, languages())

    def excerpt_of(change: DocumentChanged, phrases: Phrases) -> MarkedText | None:
        return excerpt(change, phrases, language(change.language))

    return SearchWords(searched_phrases, choices, excerpt_of)


AT_ONCE = 200
"""Changes whose terms are stored together."""


class ChangeIndex(Protocol):
    """The index of a store; a port. Every method may raise StoreUnavailable."""

    async def changes(self, after: str, limit: int) -> list[tuple[str, Any]]:
        """List changes of all managers in the order of their ids, each with its id."""

    async def index(self, terms: Mapping[str, str]) -> None:
        """Replace the terms of changes, by their ids."""


async def index_changes(
    settings: Settings, index: ChangeIndex, advance: Callable[[int], None]
) -> int:
    """Find the terms of all changes again; ``advance`` is called with so many more. Count them."""
    terms, after, count = terms_of(settings), "", 0

    def stemmed(facts: list[tuple[str, Any]]) -> dict[str, str]:
        return {name: terms(fact) for name, fact in facts if isinstance(fact, DocumentChanged)}

    while several := await index.changes(after, AT_ONCE):
        await index.index(await asyncio.to_thread(stemmed, several))
        after = several[-1][0]
        count += len(several)
        advance(len(several))
    return count
