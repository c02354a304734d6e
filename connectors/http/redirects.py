"""The requests of a visit: the first one, and those that redirects lead to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from connectors.http.errors import FetchFailed
from schemas.records.page_requests import PageRequest, default_content_type
from schemas.records.urls import canonical

REDIRECTS = {301, 302, 303, 307, 308}
SEE_OTHER = 303
_BECOMES_GET = {301, 302, SEE_OTHER}
_NO_UTF8, _DROPPED = re.compile("[\udc80-\udcff]"), re.compile("[\t\r\n]")
_CROSSES = {"accept", "accept-language", "user-agent"}
"""Headers that another origin than the first gets as well."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One request; ``headers`` are those that its client chose."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes | None = None


def first_hop(url: str, request: PageRequest) -> Hop:
    """Return the first request for a page.

    >>> first_hop("https://example.org/", PageRequest(language="de")).headers
    {'Accept-Language': 'de'}
    """
    chosen = {each.name.title(): each.value for each in request.headers}
    if request.language:
        chosen["Accept-Language"] = request.language
    if request.user_agent:
        chosen["User-Agent"] = request.user_agent
    if not request.body:
        return Hop(url, request.method, chosen)
    chosen.setdefault("Content-Type", default_content_type(request.body))
    return Hop(url, request.method, chosen, request.body.encode())


def following_hop(hop: Hop, status: int, target: str) -> Hop:
    """Return the request that a redirect leads to; raises FetchFailed if there is none.

    RFC 9110, 15.4: a POST becomes a GET after 301, 302 and 303, and stays one after 307 and 308.
    Another origin gets neither a body nor headers that were chosen for the first one.
    """
    url = target_url(hop.url, target)
    if url is None:
        raise FetchFailed("redirected to an invalid URL")
    after = replace(hop, url=url)
    if hop.method != "GET" and status in _BECOMES_GET:
        kept = {name: value for name, value in hop.headers.items() if name != "Content-Type"}
        after = Hop(url, "GET", kept)
    if _origin(url) == _origin(hop.url):
        return after
    if after.method != "GET":
        raise FetchFailed(f"redirected by {status} to {_origin(url)}, which may not get its POST")
    crossing = {name: value for name, value in after.headers.items() if name.lower() in _CROSSES}
    return replace(after, headers=crossing)


def target_url(url: str, target: str) -> str | None:
    r"""Return the URL to which a page at a URL leads, None if it is invalid.

    As browsers read it: a backslash is a slash, and bytes that are no UTF-8 stay what they are.

    >>> target_url("https://example.org/a", "caf\udce9 \\b?c\\d")
    'https://example.org/caf%E9%20/b?c%5Cd'
    """
    written = _NO_UTF8.sub(lambda byte: f"%{ord(byte[0]) & 0xFF:02X}", _DROPPED.sub("", target))
    path, mark, query = written.strip().partition("?")
    whole = f"{path.replace(chr(92), '/')}{mark}{query.replace(chr(92), '%5C')}"
    try:
        return canonical(urljoin(url, whole.replace(" ", "%20")))
    except ValueError:  # such as a bracket in its host
        return None


def _origin(url: str) -> str:
    """Return scheme, host and port of a canonical URL (RFC 6454)."""
    return url[: url.index("/", len("https://"))]
