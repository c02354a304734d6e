"""Words and edits of a snapshot, in pages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from connectors.api.paging import page_response
from connectors.serving.sending import SENDER
from connectors.stores import cursor
from connectors.stores.pages import ListingPage
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.numbers import NumberPoint

WordSpan = tuple[int, int, int]
"""A word's position among the words, and the offsets of its start and end."""


MAX_SEARCHED = 200_000
"""The most words for a call to examine: about 0.3 s. A page may be shorter because of this limit.
"""


@dataclass(frozen=True, slots=True)
class WordFinders:
    """Functions to find words.

    ``all`` takes a text and where to begin (position, start); ``same_word`` takes a word, the
    text's language and whether to ignore case, and returns which words are the same.
    """

    all: Callable[[str, int, int], Iterator[WordSpan]]
    same_word: Callable[[str, str | None, bool], Callable[[str], bool]]
    is_word: Callable[[str], bool]


async def words_response(
    request: web.Request,
    name: str,
    found: tuple[Snapshot, str],
    words: WordFinders,
    is_asked: Callable[[str], bool] = lambda _: True,
) -> web.StreamResponse:
    """Answer with a page of the words of a snapshot's text, beginning where the cursor says."""
    snapshot, text = found

    async def read(after: str | None, limit: int) -> ListingPage[WordSpan]:
        position, start = cursor.read(after, 0)
        begin = min(int(start or 0), len(text))
        spans = words.all(text, position, begin)
        return await request.app[SENDER].render(lambda: _page(text, spans, is_asked, limit))

    def word_json(span: WordSpan) -> dict[str, Any]:
        position, start, end = span
        return {"word": text[start:end], "position": position, "start": start, "end": end}

    more = {"snapshot": snapshot_json(snapshot)}
    return await page_response(request, name, read, word_json, **more)


def _page(
    text: str, spans: Iterator[WordSpan], is_asked: Callable[[str], bool], limit: int
) -> ListingPage[WordSpan]:
    found: list[WordSpan] = []
    for number, span in enumerate(spans):
        is_found = is_asked(text[span[1] : span[2]])
        if number == MAX_SEARCHED or (is_found and len(found) == limit):
            return ListingPage(tuple(found), cursor.written(span[0], str(span[1])))
        if is_found:
            found.append(span)
    return ListingPage(tuple(found), None)


def document_json(item: tuple[str, Snapshot | None]) -> dict[str, Any]:
    """Return a document's URL and its current snapshot, if any."""
    url, snapshot = item
    return {"url": url, "snapshot": None if snapshot is None else snapshot_json(snapshot)}


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot without its text."""
    return {
        "url": snapshot.url,
        "at": rfc3339(snapshot.at),
        "until": None if snapshot.until is None else rfc3339(snapshot.until),
        "documentContentType": snapshot.content_type,
        "language": snapshot.language,
    }


def point_json(point: NumberPoint) -> dict[str, Any]:
    """Return a point of a series; a value is a text, as JSON's numbers are often floats.

    >>> point_json(NumberPoint(0, "19.90", "EUR"))
    {'at': '1970-01-01T00:00:00.000Z', 'value': '19.90', 'unit': 'EUR'}
    """
    return {"at": rfc3339(point.at), "value": point.value, "unit": point.unit}


def differences_json(change: DocumentChanged) -> Iterator[dict[str, Any]]:
    """Yield the sentences removed and added by a change; an edited sentence has both sides."""
    for region in change.regions:
        for edit in region.edits:
            sides = ("removed", region.removed, edit.removed), ("added", region.added, edit.added)
            for event, place, sentence in sides:
                if place is None or sentence is None:
                    continue
                at = place.start
                yield {
                    "change": change.id,
                    "event": event,
                    "kind": edit.change,
                    "text": place.text[sentence.start : sentence.end],
                    "start": at + sentence.start,
                    "end": at + sentence.end,
                    "changed": [[at + run.start, at + run.end] for run in sentence.changed],
                    "headings": region.headings,
                }
