"""The parts of the requests of a visit chosen by its subscriber."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from schemas.records.credentials import origin
from schemas.records.page_requests import PageRequest
from schemas.records.urls import canonical

Headers = Mapping[str, str]

_TAG = re.compile(r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*(?:[;,]|$)")
_CROSSES = {"accept", "accept-language"}
"""Headers of the subscriber for other sites as well."""


def locale_of(language: str) -> str | None:
    """Return the first language of a header Accept-Language, None if there is none.

    >>> locale_of("de-AT, en;q=0.5"), locale_of("*")
    ('de-AT', None)
    """
    found = _TAG.match(language)
    return found[1] if found else None


class Sending:
    """Decides about the headers of each request of the main frame.

    Headers of the subscriber's choice go with requests for documents of the visit's own site.
    Credentials go to their site: with requests for its documents, and with the requests of those
    documents to the site.
    """

    def __init__(
        self, url: str, request: PageRequest, credentials: Callable[[str], Headers] | None
    ) -> None:
        """``url`` is the begin of the visit, ``credentials`` returns the headers for a URL."""
        self._origin = origin(url)
        self._chosen = {each.name.title(): each.value for each in request.headers}
        if request.language:
            self._chosen["Accept-Language"] = request.language
        self._credentials = credentials

    @property
    def concerns_all(self) -> bool:
        """Whether requests for other things than documents may be concerned."""
        return self._credentials is not None

    def headers(
        self, asked: Mapping[str, Any], page: str, *, is_document: bool, is_main: bool
    ) -> list[dict[str, str]] | None:
        """Return the headers to send with a request, None if unchanged.

        ``asked`` is the browser's request, ``page`` the URL of the shown document. Additions to a
        request are not sent again after a redirect, which is a request of its kind.
        """
        url = canonical(asked["url"])
        if not url or not is_main:
            return None
        own: dict[str, str] = {}
        if is_document:
            is_first = origin(url) == self._origin
            own = {n: v for n, v in self._chosen.items() if is_first or n.lower() in _CROSSES}
        loaded = canonical(page)
        is_theirs = is_document or (loaded is not None and origin(loaded) == origin(url))
        if self._credentials is not None and is_theirs:
            own |= self._credentials(url)
        replaced = {name.lower() for name in own}
        browsers: Headers = asked.get("headers", {})
        kept = {name: value for name, value in browsers.items() if name.lower() not in replaced}
        return [{"name": n, "value": v} for n, v in (kept | own).items()] if own else None
