"""GET /documents, /snapshots, /snapshot, /numbers, /picture, /words, /occurrences and /differences.

The answers come from the store through a cache, so they may be half a minute old.
"""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import chain
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import CallRefused, answer
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.words import (
    WordFinders,
    differences_json,
    document_json,
    point_json,
    snapshot_json,
    words_response,
)
from connectors.api.paging import asked_time, asked_url, page_response
from connectors.serving.sending import chunks_of, send, send_json
from connectors.stores.pages import Item, ListingPage
from connectors.stores.ports import TextReader
from schemas.records.changes import DocumentChanged
from schemas.records.codes import Code
from schemas.records.documents import Snapshot

ROW = 1000
"""Approximate bytes of an item in a listing."""


class DocumentHandlers:
    """The handlers of documents, their snapshots and the words in them."""

    def __init__(self, texts: TextReader, words: WordFinders, cache: SingleFlightCache) -> None:
        """Read from ``texts``, and search them with ``words``."""
        self._texts = texts
        self._words = words
        self._cache = cache

    async def documents(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the caller's watched documents."""
        manager = caller(request).manager

        async def read(after: str | None, limit: int) -> ListingPage[tuple[str, Snapshot | None]]:
            find = partial(self._texts.documents, manager, after, limit)
            return await self._cache.get(("documents", manager, after, limit), find, _page_size)

        return await page_response(request, "documents", read, document_json)

    async def snapshots(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of a document's snapshots while watched by the caller."""
        return await self._of_document(request, "snapshots", self._texts.snapshots, snapshot_json)

    async def numbers(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the numbers of a document."""
        return await self._of_document(request, "numbers", self._texts.numbers, point_json)

    async def snapshot(self, request: web.Request) -> web.StreamResponse:
        """Answer with a snapshot and its text."""
        found = await self._text(request)
        return await send_json(request, {**snapshot_json(found[0]), "text": found[1]})

    async def words(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the words of a snapshot."""
        found = await self._text(request)
        return await words_response(request, "words", found, self._words)

    async def occurrences(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of the places where a snapshot has a word."""
        word, ignores = request.query.get("word", ""), request.query.get("ignoreCase", "false")
        if not self._words.is_word(word):
            return answer(Code.INVALID_FORMAT, detail=f"word: expected one word, not {word!r}")
        if ignores not in ("true", "false"):
            detail = f"ignoreCase: expected true or false, not {ignores!r}"
            return answer(Code.INVALID_FORMAT, detail=detail)
        found = await self._text(request)
        same = self._words.same_word(word, found[0].language, ignores == "true")
        return await words_response(request, "occurrences", found, self._words, same)

    async def differences(self, request: web.Request) -> web.StreamResponse:
        """Answer with the sentences removed and added by the change to a snapshot."""
        asked = _asked(request)
        find = partial(self._texts.differences, *asked)
        found = await self._cache.get(("differences", *asked), find, _differences_size)
        if found is None:
            return answer(Code.UNKNOWN)
        snapshot, changes = found
        every = chain.from_iterable(map(differences_json, changes))
        return await send_json(request, {"snapshot": snapshot_json(snapshot), "differences": every})

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """Answer with the picture of a snapshot."""
        asked = _asked(request)
        find = partial(self._texts.picture, *asked)
        found = await self._cache.get(
            ("picture", *asked), find, lambda kept: ROW + len(kept or b"")
        )
        if found is None:
            return answer(Code.UNKNOWN)
        return await send(request, chunks_of(found), "image/jpeg")

    async def _of_document(
        self,
        request: web.Request,
        name: str,
        find: Callable[..., Awaitable[ListingPage[Item] | None]],
        show: Callable[[Item], dict[str, Any]],
    ) -> web.StreamResponse:
        """Answer with a page of a document's history, in the requested view."""
        manager, url = caller(request).manager, asked_url(request)

        async def read(after: str | None, limit: int) -> ListingPage[Item] | None:
            asked = manager, url, after, limit, request.query.get("subscription")
            return await self._cache.get((name, *asked), partial(find, *asked), _page_size)

        return await page_response(request, name, read, show)

    async def _text(self, request: web.Request) -> tuple[Snapshot, str]:
        asked = _asked(request)
        find = partial(self._texts.snapshot, *asked)
        found = await self._cache.get(
            ("snapshot", *asked),
            find,
            lambda kept: ROW + (0 if kept is None else sys.getsizeof(kept[1])),
        )
        if found is None:
            raise CallRefused(Code.UNKNOWN)
        return found


def _asked(request: web.Request) -> tuple[str, str, int | None, str | None]:
    """Return the requested manager, document, time and subscription; raises CallRefused."""
    url, time = asked_url(request), asked_time(request, "at")
    return caller(request).manager, url, time, request.query.get("subscription")


def _page_size(page: ListingPage[Any] | None) -> int:
    return ROW * (1 + len(page.items if page else ()))


def _differences_size(found: tuple[Snapshot, tuple[DocumentChanged, ...]] | None) -> int:
    regions = [region for change in (found[1] if found else ()) for region in change.regions]
    sides = [side for region in regions for side in (region.removed, region.added) if side]
    count = sum(len(region.edits) for region in regions)
    return ROW * (1 + count) + sum(sys.getsizeof(side.text) for side in sides)
