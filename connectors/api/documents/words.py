"""Words of a snapshot's text, in pages."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from aiohttp import web

from connectors.api.documents.rendering import snapshot_json
from connectors.api.paging import page_response
from connectors.stores import cursor
from connectors.stores.pages import ListingPage
from schemas.documents import Snapshot

WordSpan = tuple[int, int, int]
"""A word's position among the words, and the offsets of its start and end."""


@dataclass(frozen=True, slots=True)
class WordSearch:
    """Functions that find words.

    ``all`` takes a text and where to begin (position, start); ``occurrences`` takes a text,
    a word, the text's language, whether to ignore case, and where to begin.
    """

    all: Callable[[str, int, int], Iterator[WordSpan]]
    occurrences: Callable[[str, str, str | None, bool, int, int], Iterator[WordSpan]]
    is_word: Callable[[str], bool]


async def words_response(
    request: web.Request,
    name: str,
    found: tuple[Snapshot, str],
    spans: Callable[[int, int], Iterator[WordSpan]],
) -> web.Response:
    """Answer with a page of words, beginning where the cursor says."""
    snapshot, text = found

    async def read(after: str | None, limit: int) -> ListingPage[WordSpan]:
        position, start = cursor.read(after, 0)
        begin = min(int(start or 0), len(text))
        # Searching a large text takes too long for the event loop.
        page = await asyncio.to_thread(_take, spans(position, begin), limit + 1)
        following = page[limit:]
        after = cursor.written(following[0][0], str(following[0][1])) if following else None
        return ListingPage(tuple(page[:limit]), after)

    def word_json(span: WordSpan) -> dict[str, Any]:
        position, start, end = span
        return {"word": text[start:end], "position": position, "start": start, "end": end}

    return await page_response(request, name, read, word_json, snapshot=snapshot_json(snapshot))


def _take(spans: Iterator[WordSpan], count: int) -> list[WordSpan]:
    return list(islice(spans, count))
