"""GET /feed: what a client was told, as Atom (RFC 4287)."""

import json
import re
from hashlib import sha256
from uuid import UUID, uuid5

from aiohttp import web
from lxml.builder import ElementMaker
from lxml.etree import _Element, tostring

from connectors.api.access.middleware import caller
from connectors.api.answers import INVALID_CLIENT, answer
from connectors.api.times import rfc3339
from connectors.stores.ports import FactReader
from schemas.facts import Notification

ENTRIES = 50
NAMED = 5
"""Keywords in a title."""
_SPACE = UUID("0d4a1a0e-3c41-5b0f-9c39-6f1c4b9d2a57")
"""Whatever it is: with it, one name gives one id for ever."""
_ATOM = "http://www.w3.org/2005/Atom"
_E = ElementMaker(namespace=_ATOM, nsmap={None: _ATOM})
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FeedHandler:
    """The handler."""

    def __init__(self, facts: FactReader) -> None:
        """Take the read side."""
        self._facts = facts

    async def feed(self, request: web.Request) -> web.Response:
        """The newest notifications of a client, each an entry."""
        client, manager = request.query.get("client"), caller(request).manager
        if not client:
            return answer(INVALID_CLIENT)
        page = await self._facts.of_client("notification", manager, client, None, ENTRIES)
        body = atom_feed(manager, client, str(request.url), page.items)
        response = web.Response(body=body, content_type="application/atom+xml", charset="utf-8")
        response.etag = sha256(body).hexdigest()
        if request.if_none_match and response.etag in request.if_none_match:
            return web.Response(status=304, headers={"ETag": response.headers["ETag"]})
        return response


def atom_feed(manager: str, client: str, here: str, told: tuple[Notification, ...]) -> bytes:
    """Write the feed of a client, the newest first; ``here`` is its own URL."""
    newest = max((fact.at for fact in told), default=0)
    feed = _E.feed(
        _E.id(_id("client", manager, client)),
        _E.title(_text(f"Vokter: {client}")),
        _E.updated(rfc3339(newest)),
        _E.author(_E.name("Vokter")),
        _E.link(rel="self", href=_text(here)),
        *map(_entry, told),
    )
    body: bytes = tostring(feed, xml_declaration=True, encoding="utf-8")
    return body


def _entry(fact: Notification) -> _Element:
    return _E.entry(
        _E.id(_id("notification", fact.id)),
        _E.title(_text(_title(fact))),
        _E.updated(rfc3339(fact.at)),
        _E.link(rel="alternate", href=_text(fact.url)),
        _E.content(_text("\n".join(_lines(fact))), type="text"),
    )


def _title(fact: Notification) -> str:
    if fact.test:
        return f"Test: {fact.url}"
    if fact.status == "timeout":
        return f"Cannot be read any more: {fact.url}"
    keywords = list(dict.fromkeys(f"{diff.event} {diff.keyword}" for diff in fact.diffs))
    more = ["…"] if len(keywords) > NAMED else []
    return f"{', '.join([*keywords[:NAMED], *more])}: {fact.url}"


def _lines(fact: Notification) -> list[str]:
    if fact.test:
        return ["This was asked for; nothing has changed."]
    if fact.status == "timeout":
        return ["The document could not be read any more; it is watched no longer."]
    return [f"{diff.event}: {diff.snippet}" for diff in fact.diffs]


def _id(*names: str) -> str:
    return uuid5(_SPACE, json.dumps(names)).urn


def _text(text: str) -> str:
    """Leave out what XML cannot say, not even escaped."""
    return _NOT_XML.sub("\ufffd", text)
