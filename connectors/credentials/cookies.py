"""Cookies by their own rules (RFC 6265, section 5): where they are sent, and who may set them.

Some differences, all stricter. A name without a dot is no domain, like a public suffix. A site on
plain HTTP sets or replaces no cookie for HTTPS only, and prefixed names keep their promise (RFC
6265bis). A name under a host replaces no cookie which the host has for itself.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from operator import attrgetter

from connectors.credentials.input_formats import (
    MAX_SIZE,
    cookie_size,
    has_names_under_it,
    is_sendable,
    is_under,
)
from schemas.records.credentials import Cookie
from schemas.records.urls import hostname

Cookies = tuple[Cookie, ...]
Kept = dict[tuple[str, str, str], Cookie]

MAX_COOKIE = 4096
"""The most bytes of a cookie from a site (RFC 6265, section 6.1)."""
MAX_OF_DOMAIN = 100
"""The most cookies of a domain; a new cookie replaces the oldest."""
ROUNDED_S = 60
LONGEST_S = 400 * 24 * 3600
"""The longest life of a cookie in seconds (RFC 6265bis)."""


def cookie_header(cookies: Sequence[Cookie], url: str, now: float) -> str:
    """Return the value of the header ``Cookie`` for a canonical URL, empty without any.

    ``now`` is in epoch seconds.

    >>> cookie_header([Cookie("a", "b", "example.org")], "https://example.org/", now=0)
    'a=b'
    """
    sent = [each for each in cookies if _is_for(each, url) and not _is_over(each, now)]
    sent.sort(key=lambda each: -len(each.path))
    return "; ".join(f"{each.name}={each.value}" for each in sent)


def renewed_cookies(cookies: Cookies, url: str, lines: Sequence[str], now: float) -> Cookies:
    """Return the cookies after an answer from a URL, with its headers ``Set-Cookie``.

    >>> renewed_cookies((), "https://example.org/a/b", ["s=1; Path=/; Max-Age=60"], now=0)
    (Cookie(name='s', domain='example.org', path='/', secure=False, host_only=True, expires=60),)
    """
    kept = {_key(each): each for each in cookies if not _is_over(each, now)}
    for line in lines:
        cookie = _set_cookie(line, url, now)
        known = None if cookie is None else kept.get(_key(cookie))
        if cookie is None or (known and not _may_replace(url, known)):
            continue
        if _is_over(cookie, now):
            kept.pop(_key(cookie), None)
        else:
            kept[_key(cookie)] = cookie
            _make_room(kept, cookie)
    return tuple(kept.values())


def _may_replace(url: str, known: Cookie) -> bool:
    """Decide whether the page at a URL may replace a known cookie.

    A page without TLS replaces no cookie set with TLS, and a name under a host no cookie which the
    host has for itself.
    """
    if known.secure and not url.startswith("https:"):
        return False
    return not known.host_only or hostname(url) == known.domain.lstrip(".")


def brought_cookies(kept: Cookies, before: Cookies, after: Cookies, now: float) -> Cookies:
    """Return the cookies after a browser's visit, which began with ``before``.

    Only changes of the visit are taken from ``after``, and of those only cookies for hosts of
    ``before``: browsers do not name the origin of a cookie, and pages let others set many.

    >>> a, b = Cookie("s", "1", "example.org"), Cookie("s", "2", "example.org")
    >>> brought_cookies((a,), (a,), (b, Cookie("x", "1", "ads.test")), now=0) == (b,)
    True
    """
    known = {_key(each): each for each in before}
    # Of two with a name, the host-only cookie counts: a name under the host may set the other.
    found = {_key(each): each for each in sorted(after, key=attrgetter("host_only"))}
    result = {
        key: each
        for key, each in ((_key(each), each) for each in kept)
        if not _is_over(each, now) and (key in found or key not in known)
    }
    for key, each in found.items():
        if _is_news(known.get(key), each, now) and _is_at_home(each, before):
            result[key] = each
            _make_room(result, each)
    return tuple(result.values())


def _is_news(before: Cookie | None, after: Cookie, now: float) -> bool:
    if before is None or before.value != after.value:
        return True
    ends = [min(each.expires or 0, int(now) + LONGEST_S) for each in (before, after)]
    # A browser stores ends as it rounds them.
    return abs(ends[0] - ends[1]) > ROUNDED_S


def is_of(host: str, cookie: Cookie) -> bool:
    """Return whether a cookie is for a host, by its domain.

    >>> is_of("sso.example.org", Cookie("s", "1", ".example.org", host_only=False))
    True
    """
    if cookie.host_only:
        return host == cookie.domain.lstrip(".")
    return is_under(host, cookie.domain)


def _is_at_home(cookie: Cookie, others: Cookies) -> bool:
    """Return whether a cookie may be stored: small, and for the hosts of others."""
    is_whole = is_sendable(cookie.name + cookie.value) and cookie_size(cookie) <= MAX_COOKIE
    domain = cookie.domain.lstrip(".")
    return is_whole and any(
        is_of(domain, each) and (cookie.host_only or not each.host_only) for each in others
    )


def _key(cookie: Cookie) -> tuple[str, str, str]:
    return cookie.domain.lstrip("."), cookie.path, cookie.name


def _is_over(cookie: Cookie, now: float) -> bool:
    return cookie.expires is not None and cookie.expires <= now


def _is_for(cookie: Cookie, url: str) -> bool:
    if cookie.secure and not url.startswith("https:"):
        return False
    asked, path = _path(url), cookie.path  # section 5.1.4
    if asked == path:
        return is_of(hostname(url), cookie)
    is_within = asked.startswith(path) and (path.endswith("/") or asked[len(path)] == "/")
    return is_within and is_of(hostname(url), cookie)


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3].partition("?")[0]


def _set_cookie(line: str, url: str, now: float) -> Cookie | None:
    """Parse a header (section 5.2); None for a cookie forbidden to this site."""
    pair, *parts = line.split(";")
    name, equals, value = (text.strip() for text in pair.partition("="))
    halves = (part.partition("=") for part in parts)
    attributes = {key.strip().lower(): text.strip() for key, _, text in halves}
    host = hostname(url)
    domain = attributes.get("domain", "").lower().removeprefix(".")
    if not equals or not name or not is_sendable(name + value):
        return None
    is_secure = "secure" in attributes
    if is_secure and not url.startswith("https:"):
        return None
    if not _keeps_prefix(name.lower(), attributes):
        return None
    has_names = has_names_under_it(domain)
    host_only = not domain or (domain == host and not has_names)
    if not host_only and not (has_names and is_under(host, domain)):
        return None
    cookie = Cookie(
        name=name,
        value=value,
        domain=host if host_only else f".{domain}",
        path=_given_path(attributes.get("path", ""), url),
        secure=is_secure,
        host_only=host_only,
        expires=_expiry(attributes, now),
        http_only="httponly" in attributes,
    )
    return cookie if cookie_size(cookie) <= MAX_COOKIE else None


def _keeps_prefix(name: str, attributes: Mapping[str, str]) -> bool:
    """Decide whether a cookie keeps the promise of its name (RFC 6265bis, section 4.1.3)."""
    if name.startswith("__host-"):
        is_of_host = "domain" not in attributes and attributes.get("path") == "/"
        return is_of_host and "secure" in attributes
    return not name.startswith("__secure-") or "secure" in attributes


def _given_path(path: str, url: str) -> str:
    """Return the path of a cookie, by default the URL's folder (section 5.1.4)."""
    if path.startswith("/"):
        return path
    return _path(url).rpartition("/")[0] or "/"


def _expiry(attributes: dict[str, str], now: float) -> int | None:
    age = attributes.get("max-age", "")
    if age.removeprefix("-").isdecimal() and age.isascii():
        return int(now) + min(int(age[:12]), LONGEST_S)
    try:
        date = parsedate_to_datetime(attributes["expires"])
        end = int(date.replace(tzinfo=date.tzinfo or UTC).timestamp())
    except (KeyError, ValueError, OverflowError):
        return None
    return min(end, int(now) + LONGEST_S)


def _make_room(kept: Kept, cookie: Cookie) -> None:
    """Remove the oldest cookies of a domain while there are too many, else the new cookie."""
    alike = {key: each for key, each in kept.items() if each.domain == cookie.domain}
    size = sum(map(cookie_size, kept.values()))
    elsewhere = size - sum(map(cookie_size, alike.values()))
    if elsewhere + cookie_size(cookie) > MAX_SIZE:
        del kept[_key(cookie)]
        return
    others = [key for key in alike if key != _key(cookie)]
    while size > MAX_SIZE or len(others) >= MAX_OF_DOMAIN:
        size -= cookie_size(kept.pop(others.pop(0)))
