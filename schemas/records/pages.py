"""The pages of a subscription without a single page: ``pages:…``.

``pages:*`` are all watched pages of the manager, ``pages:tag=NAME`` the pages with a tag, and
``pages:*.example.org`` the pages of hosts.
"""

import re
from collections.abc import Collection
from urllib.parse import quote, unquote

import idna

from schemas.records.channels import canonical_receiver
from schemas.records.globs import matches_glob
from schemas.records.subscriptions import Receiver
from schemas.records.tags import MAX_TAG, canonical_tag
from schemas.records.urls import canonical, hostname

PAGES = "pages:"
ALL_PAGES = PAGES + "*"
PAGES_ALLOWED = "pages:*, pages:tag=NAME, or pages:HOST with up to three * in it"
TAG = "tag="
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9_*-]{1,63}(?:\.[a-z0-9_*-]{1,63})*")
_MAX_STARS = 3
"""More would make a comparison slow."""


def is_pages(document: str) -> bool:
    """Return whether a text asks for several pages, validly or not.

    >>> is_pages("pages:*"), is_pages("https://example.org/")
    (True, False)
    """
    return document[: len(PAGES)].lower() == PAGES


def canonical_document(given: str) -> str | None:
    """Return the canonical form of a subscription's document or pages, None if invalid.

    >>> canonical_document("HTTPS://Example.org"), canonical_document("pages:*.Example.org")
    ('https://example.org/', 'pages:*.example.org')
    """
    if not is_pages(given):
        return canonical(given)
    wanted = given[len(PAGES) :].strip()
    if wanted[: len(TAG)].lower() == TAG:
        tag = canonical_tag(unquote(wanted[len(TAG) :]))
        is_tag = 0 < len(tag) <= MAX_TAG and tag.isprintable() and "," not in tag
        return pages_of_tag(tag) if is_tag else None
    host = _ascii(wanted.lower())
    is_host = _HOST.fullmatch(host) and host.count("*") <= _MAX_STARS and "**" not in host
    return PAGES + host if is_host else None


def request_key(document: str, manager: str, receiver: Receiver) -> str:
    """Return the key of a request in the register's partitions; ``document`` is canonical.

    Subscriptions for several pages are spread: no partition has those of all receivers.

    >>> request_key("pages:*", "default", Receiver(session="my-reader"))
    'pages:* default my-reader'
    """
    if not is_pages(document):
        return document
    client = receiver.client_url
    who = receiver.session if client is None else canonical_receiver(client)
    return f"{document} {manager} {who}"


def pages_of_tag(tag: str) -> str:
    """Return the document of a subscription to the pages with a tag.

    >>> pages_of_tag("greek gods")
    'pages:tag=greek%20gods'
    """
    return f"{PAGES}{TAG}{quote(canonical_tag(tag), safe='')}"


def covers(document: str, url: str, tags: Collection[str]) -> bool:
    """Return whether the pages of a subscription include a page watched with these tags.

    ``document`` and ``url`` are canonical.

    >>> covers("pages:*.example.org", "https://www.example.org/a", ())
    True
    """
    wanted = document.removeprefix(PAGES)
    if wanted.startswith(TAG):
        return unquote(wanted.removeprefix(TAG)) in tags
    return wanted == "*" or matches_glob(wanted, hostname(url))


def _ascii(host: str) -> str:
    """Return a host in ASCII; an invalid host stays unchanged, and is none."""
    if host.isascii():
        return host
    try:
        return ".".join(
            part if part.isascii() else idna.encode(part, uts46=True).decode()
            for part in host.split(".")
        )
    except (idna.IDNAError, UnicodeError):
        return host
