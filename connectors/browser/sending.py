"""The parts of the requests of a visit that its subscriber chose."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from schemas.records.credentials import origin
from schemas.records.page_requests import PageRequest
from schemas.records.urls import canonical

Headers = Mapping[str, str]

_TAG = re.compile(r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*(?:[;,]|$)")
_CROSSES = {"accept", "accept-language"}
"""Headers of the subscriber's choice that other sites get as well."""


def locale_of(language: str) -> str | None:
    """Return the first language of a header Accept-Language, None if it names none.

    >>> locale_of("de-AT, en;q=0.5"), locale_of("*")
    ('de-AT', None)
    """
    found = _TAG.match(language)
    return found[1] if found else None


class Sending:
    """Decides about the headers of each request of the main frame.

    Headers of the subscriber's choice go with requests for documents of the visit's own site.
    Those of credentials go to the site that they are for: with requests for its documents, and
    with what those load of it.
    """

    def __init__(
        self, url: str, request: PageRequest, credentials: Callable[[str], Headers] | None
    ) -> None:
        """``url`` is where the visit begins, ``credentials`` returns what a URL is sent."""
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
        """Return the headers of a request as it is to be sent, None if as it is.

        ``asked`` is the browser's request, ``page`` the URL of the document that is shown. What
        is added to a request is not sent again after a redirect, which is a request by itself.
        """
        url = canonical(asked["url"])
        own = self._own(url, page, is_document=is_document) if url and is_main else {}
        replaced = {name.lower() for name in own}
        browsers: Headers = asked.get("headers", {})
        kept = {name: value for name, value in browsers.items() if name.lower() not in replaced}
        return [{"name": n, "value": v} for n, v in (kept | own).items()] if own else None

    def _own(self, url: str, page: str, *, is_document: bool) -> dict[str, str]:
        own: dict[str, str] = {}
        if is_document:
            is_first = origin(url) == self._origin
            own = {n: v for n, v in self._chosen.items() if is_first or n.lower() in _CROSSES}
        loaded = canonical(page)
        is_theirs = is_document or (loaded is not None and origin(loaded) == origin(url))
        if self._credentials is not None and is_theirs:
            own |= self._credentials(url)
        return own
