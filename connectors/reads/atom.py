"""Notifications as an Atom feed (RFC 4287)."""

import json
import re
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from html import escape
from typing import NamedTuple
from uuid import UUID, uuid5

from aiohttp import web
from lxml.builder import ElementMaker
from lxml.etree import tostring

from connectors.display.explanations import notes_of
from connectors.display.headlines import headline
from connectors.display.html import entries_html
from connectors.display.notices import notice_text
from connectors.serving.sending import SENDER, chunks_of, send
from schemas.codec.times import rfc3339
from schemas.records.notifications import Notification

MAX_ENTRIES = 50
_SPACE = UUID("0d4a1a0e-3c41-5b0f-9c39-6f1c4b9d2a57")
"""A random namespace, for stable ids of the same names."""
_ATOM = "http://www.w3.org/2005/Atom"
_E = ElementMaker(namespace=_ATOM, nsmap={None: _ATOM})
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FeedNames(NamedTuple):
    """A feed: the names of which its id is made, and its title for people."""

    id: tuple[str, ...]
    title: str


async def send_feed(
    request: web.Request, names: FeedNames, facts: Sequence[Notification]
) -> web.StreamResponse:
    """Answer with a feed of notifications, the newest first, an entry each."""
    url = str(request.url)
    render = request.app[SENDER].render
    # Each in a turn of a thread, between those of others: many long edits take seconds.
    texts = [await render(partial(content_html, fact)) for fact in facts]
    shown = list(zip(facts, texts, strict=True))
    body = await render(lambda: atom_feed(names, url, shown))
    tag = sha256(body).hexdigest()
    if any(tag == known.value for known in request.if_none_match or ()):
        return web.Response(status=304, headers={"ETag": f'"{tag}"'})
    return await send(request, chunks_of(body), "application/atom+xml", ETag=f'"{tag}"')


def atom_feed(
    names: FeedNames, url: str, notifications: Sequence[tuple[Notification, str]]
) -> bytes:
    """Return a feed of notifications, the newest first; ``url`` is its own.

    Each comes with its text in HTML.
    """
    newest = max((fact.at for fact, _ in notifications), default=0)
    feed = _E.feed(
        _E.id(_id(*names.id)),
        _E.title(_text(f"Vokter: {names.title}")),
        _E.updated(rfc3339(newest)),
        _E.author(_E.name("Vokter")),
        _E.link(rel="self", href=_text(url)),
        *(
            _E.entry(
                _E.id(_id("notification", fact.id)),
                _E.title(_text(headline(fact))),
                _E.updated(rfc3339(fact.at)),
                _E.link(rel="alternate", href=_text(fact.url)),
                _E.content(_text(html), type="html"),
            )
            for fact, html in notifications
        ),
    )
    body: bytes = tostring(feed, xml_declaration=True, encoding="utf-8")
    return body


def content_html(fact: Notification) -> str:
    """Return the feed's text of a notification, with its changes marked."""
    if (notice := notice_text(fact)) is not None:
        return f"<p>{escape(notice, quote=False)}</p>"
    notes = "".join(f"<p>{escape(note, quote=False)}</p>" for note in notes_of(fact))
    return notes + entries_html(fact.diffs, language=fact.language)


def _id(*names: str) -> str:
    return uuid5(_SPACE, json.dumps(names)).urn


def _text(text: str) -> str:
    """Replace characters invalid in XML, even if escaped."""
    return _NOT_XML.sub("\ufffd", text)
