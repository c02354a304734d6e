"""GET /documents, /snapshots, /snapshot, /words, /occurrences and /differences.

From the store, through a cache, so what is told may be half a minute old.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.answers import INVALID_DOCUMENT, INVALID_FORMAT, UNKNOWN, answer
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.paging import page_response
from connectors.api.times import epoch_ms, rfc3339
from connectors.stores import cursor
from connectors.stores.pages import ListingPage
from connectors.stores.ports import TextReader
from schemas.documents import Snapshot
from schemas.facts import DocumentChanged, Passage
from schemas.urls import canonical

WordSpan = tuple[int, int, int]
"""Position of a word, its start and end."""
ROW = 500
"""About as many characters as an item of a listing takes."""
WRONG_TIME = "at: a time as in RFC 3339 is expected"
WRONG_WORD = "word: one word is expected"
WRONG_CHOICE = "ignoreCase: true or false is expected"


@dataclass(frozen=True, slots=True)
class WordSearch:
    """How words are found.

    ``all`` takes a text and where to begin (position, start); ``occurrences`` a text, a
    word, the text's language, whether case is ignored, and where to begin.
    """

    all: Callable[[str, int, int], Iterator[WordSpan]]
    occurrences: Callable[[str, str, str | None, bool, int, int], Iterator[WordSpan]]
    is_word: Callable[[str], bool]


class DocumentHandlers:
    """The handlers."""

    def __init__(self, texts: TextReader, words: WordSearch, cache: SingleFlightCache) -> None:
        """Take the store, and how its texts are looked through."""
        self._texts = texts
        self._words = words
        self._cache = cache

    async def documents(self, request: web.Request) -> web.Response:
        """One page of the documents that the caller watches."""
        manager = caller(request).manager

        async def read(after: str | None, limit: int) -> ListingPage[tuple[str, Snapshot | None]]:
            find = partial(self._texts.documents, manager, after, limit)
            return await self._cache.get(("documents", manager, after, limit), find, _rows)

        return await page_response(request, "documents", read, _document)

    async def snapshots(self, request: web.Request) -> web.Response:
        """One page of what a document was while the caller watched it."""
        manager, url = caller(request).manager, _url(request)
        if url is None:
            return answer(INVALID_DOCUMENT)

        async def read(after: str | None, limit: int) -> ListingPage[Snapshot] | None:
            find = partial(self._texts.snapshots, manager, url, after, limit)
            return await self._cache.get(("snapshots", manager, url, after, limit), find, _rows)

        return await page_response(request, "snapshots", read, _snapshot)

    async def snapshot(self, request: web.Request) -> web.Response:
        """Give one snapshot, with its text."""
        found = await self._text(request)
        if isinstance(found, web.Response):
            return found
        return web.json_response({**_snapshot(found[0]), "text": found[1]})

    async def words(self, request: web.Request) -> web.Response:
        """One page of the words of a snapshot."""
        found = await self._text(request)
        if isinstance(found, web.Response):
            return found
        return await _places(request, "words", found, partial(self._words.all, found[1]))

    async def occurrences(self, request: web.Request) -> web.Response:
        """One page of where a word is in a snapshot."""
        word, ignores = request.query.get("word", ""), request.query.get("ignoreCase", "false")
        if not self._words.is_word(word):
            return answer(INVALID_FORMAT, detail=WRONG_WORD)
        if ignores not in ("true", "false"):
            return answer(INVALID_FORMAT, detail=WRONG_CHOICE)
        found = await self._text(request)
        if isinstance(found, web.Response):
            return found
        how = found[1], word, found[0].language, ignores == "true"
        return await _places(request, "occurrences", found, partial(self._words.occurrences, *how))

    async def differences(self, request: web.Request) -> web.Response:
        """Give what a snapshot came with: passages removed and added."""
        asked = _asked(request)
        if isinstance(asked, web.Response):
            return asked
        find = partial(self._texts.differences, *asked)
        found = await self._cache.get(("differences", *asked), find, _extent)
        if found is None:
            return answer(UNKNOWN)
        snapshot, changes = found
        told = [each for change in changes for each in _differences(change)]
        return web.json_response({"snapshot": _snapshot(snapshot), "differences": told})

    async def _text(self, request: web.Request) -> tuple[Snapshot, str] | web.Response:
        asked = _asked(request)
        if isinstance(asked, web.Response):
            return asked
        find = partial(self._texts.snapshot, *asked)
        found = await self._cache.get(("snapshot", *asked), find, _length)
        return answer(UNKNOWN) if found is None else found


def _url(request: web.Request) -> str | None:
    return canonical(request.query.get("documentUrl", ""))


def _asked(request: web.Request) -> tuple[str, str, int | None] | web.Response:
    """Give manager, document and time that are asked for, or what is wrong with them."""
    url, at = _url(request), request.query.get("at")
    if url is None:
        return answer(INVALID_DOCUMENT)
    try:
        return caller(request).manager, url, None if at is None else epoch_ms(at)
    except ValueError:
        return answer(INVALID_FORMAT, detail=WRONG_TIME)


async def _places(
    request: web.Request,
    name: str,
    found: tuple[Snapshot, str],
    places: Callable[[int, int], Iterator[WordSpan]],
) -> web.Response:
    """Answer with a page of the places of words, from the one that the cursor names."""
    snapshot, text = found

    async def read(after: str | None, limit: int) -> ListingPage[WordSpan]:
        position, start = cursor.read(after, 0)
        begin = min(int(start or 0), len(text))
        # A large text takes long to be looked through.
        several = await asyncio.to_thread(_first, places(position, begin), limit + 1)
        following = several[limit:]
        more = cursor.written(following[0][0], str(following[0][1])) if following else None
        return ListingPage(tuple(several[:limit]), more)

    def shown(place: WordSpan) -> dict[str, Any]:
        position, start, end = place
        return {"word": text[start:end], "position": position, "start": start, "end": end}

    return await page_response(request, name, read, shown, snapshot=_snapshot(snapshot))


def _first(places: Iterator[WordSpan], count: int) -> list[WordSpan]:
    return list(islice(places, count))


def _document(item: tuple[str, Snapshot | None]) -> dict[str, Any]:
    url, snapshot = item
    return {"url": url, "snapshot": None if snapshot is None else _snapshot(snapshot)}


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "url": snapshot.url,
        "at": rfc3339(snapshot.at),
        "until": None if snapshot.until is None else rfc3339(snapshot.until),
        "documentContentType": snapshot.content_type,
        "language": snapshot.language,
    }


def _differences(change: DocumentChanged) -> Iterator[dict[str, Any]]:
    for place, hunk in enumerate(change.hunks):
        where = {"change": change.id, "hunk": place}
        if hunk.removed is not None:
            yield {**where, "event": "removed", **_passage(hunk.removed)}
        if hunk.added is not None:
            yield {**where, "event": "added", **_passage(hunk.added)}


def _passage(passage: Passage) -> dict[str, Any]:
    end = passage.start + len(passage.text)
    return {"text": passage.text, "start": passage.start, "end": end}


def _rows(page: ListingPage[Any] | None) -> int:
    return ROW * (1 + len(page.items if page else ()))


def _length(found: tuple[Snapshot, str] | None) -> int:
    return ROW + (0 if found is None else len(found[1]))


def _extent(found: tuple[Snapshot, tuple[DocumentChanged, ...]] | None) -> int:
    hunks = [hunk for change in (found[1] if found else ()) for hunk in change.hunks]
    sides = [side for hunk in hunks for side in (hunk.removed, hunk.added) if side]
    return ROW * (1 + len(sides)) + sum(len(side.text) for side in sides)
