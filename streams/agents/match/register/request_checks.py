"""What is wrong with how a client asks for its page to be got."""

from collections.abc import Collection, Iterator

from schemas.records.page_requests import Header
from schemas.records.views import ViewOptions

_OWN = "Vokter sets it itself"
_CREDENTIALS = "use credentials, which are kept secret and sent to their own site only"
_REFUSED = {
    "accept-encoding": _OWN,
    "accept-language": "use view.language",
    "authorization": _CREDENTIALS,
    "connection": _OWN,
    "content-encoding": _OWN,
    "content-length": _OWN,
    "cookie": _CREDENTIALS,
    "expect": _OWN,
    "host": _OWN,
    "keep-alive": _OWN,
    "proxy-authorization": _CREDENTIALS,
    "proxy-connection": _OWN,
    "te": _OWN,
    "trailer": _OWN,
    "transfer-encoding": _OWN,
    "upgrade": _OWN,
    "user-agent": "use view.userAgent",
}
"""Names of headers that no client may choose, in lower case, and why."""
_CONDITION = "if-"


def request_faults(view: ViewOptions, proxies: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the request part of a view; ``proxies`` are those of settings.

    >>> list(request_faults(ViewOptions(headers=(Header("Cookie", "a=b"),)), ()))
    ['view.headers.Cookie: use credentials, which are kept secret and sent to their own site only']
    """
    if view.render and view.method.upper() != "GET":
        yield "view.method: a browser gets pages; send a form with view.steps instead"
    seen = set[str]()
    for header in view.headers:
        name = header.name.lower()
        reason = _OWN if name.startswith(_CONDITION) else _REFUSED.get(name)
        if name in seen:
            reason = "the same header twice is not allowed, whatever its case"
        if reason is not None:
            yield f"{header_place(header)}: {reason}"
        seen.add(name)
    if view.body and view.method.upper() != "POST":
        yield "view.body: only a POST has one; set view.method to POST"
    if view.proxy and view.proxy not in proxies:
        names = ", ".join(sorted(proxies)) or "none"
        yield f"view.proxy: there is no {view.proxy!r}; VOKTER_PROXIES names {names}"


def header_place(header: Header) -> str:
    """Return by what messages name a header, whatever its name is."""
    name = header.name[:50]
    return f"view.headers.{name if name.isprintable() else ascii(name)}"
