"""Credentials as their owner gives them: by REST in JSON, at the command line in files."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from connectors.credentials.cookie_files import (
    parse_local_storage,
    parse_netscape,
    parse_storage_state,
)
from connectors.credentials.errors import InvalidCredentials
from schemas.records.credentials import (
    CHANNEL_KIND,
    NAME,
    NAMES,
    Cookie,
    Credentials,
    LocalItem,
    origin,
)
from schemas.records.urls import as_in_browsers, canonical, hostname

FIELDS = ("for", "header", "headers", "basic", "cookies", "storage", "secrets", "channel")
MAX_SIZE = 64 * 1024
"""Bytes of the secrets of a name."""
MAX_HEADERS = 20
MAX_SECRETS = 20
_USERINFO = re.compile(r"[^/]*//[^/]*@")
"""A user name, or a user name to other programs: ``http://10.0.0.1#@example.org/``."""
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OURS = {
    *("accept-encoding", "connection", "content-length", "expect", "host", "if-modified-since"),
    *("if-none-match", "keep-alive", "proxy-authorization", "proxy-connection", "range", "te"),
    *("trailer", "transfer-encoding", "upgrade"),
}
"""Headers about the way of sending, not about the sender."""


def checked_name(name: str) -> str:
    """Return the name of credentials; raises InvalidCredentials for an invalid name.

    >>> checked_name("news-desk.2")
    'news-desk.2'
    """
    if NAME.fullmatch(name) is None:
        raise InvalidCredentials(f"name: {NAMES} are allowed, not {name[:80]!r}")
    return name


def parse_credentials(body: Mapping[str, Any]) -> Credentials:
    """Read credentials from JSON: ``for``, and another of the FIELDS.

    Raises InvalidCredentials, which names the field and never quotes a secret.

    >>> parse_credentials({"for": "https://example.org", "header": "Authorization: Bearer x"})
    Credentials(kind='header', origin='https://example.org')
    """
    unknown = [name for name in body if name not in FIELDS]
    if unknown:
        raise InvalidCredentials(
            f"{unknown[0][:50]}: there is no such field; there are {', '.join(FIELDS)}"
        )
    given = [name for name in FIELDS[1:] if body.get(name) is not None]
    if len(given) != 1:
        raise InvalidCredentials(
            "one of header, headers, basic, cookies, storage, secrets and channel is expected"
        )
    url = _url(body.get("for"))
    (kind,) = given
    value = body[kind]
    if kind == CHANNEL_KIND:
        return _channel(value, url)
    if kind in ("cookies", "storage"):
        return _with_cookies(kind, value, url)
    if url is None:
        raise InvalidCredentials("for: the URL is expected that the credentials are sent to")
    if kind == "secrets":
        return Credentials("secrets", origin(url), secrets=_secrets(value))
    if kind == "basic":
        return Credentials("basic", origin(url), (_basic(value),))
    lines = [value] if kind == "header" else value
    return Credentials("header", origin(url), _headers(lines))


def check_size(credentials: Credentials) -> Credentials:
    """Return credentials within the size limit, else raise InvalidCredentials."""
    pairs = (*credentials.headers, *credentials.secrets)
    headers = sum(len(name) + len(value.encode()) for name, value in pairs)
    size = headers + sum(map(cookie_size, credentials.cookies)) + local_size(credentials.local)
    if size > MAX_SIZE:
        raise InvalidCredentials(
            f"{credentials.kind}: {size} bytes are more than the {MAX_SIZE} that are allowed; "
            "name the site with 'for' to store only what belongs to it"
        )
    return credentials


def cookie_size(cookie: Cookie) -> int:
    """Return the bytes of a cookie, without the overhead of its storage."""
    texts = (cookie.name, cookie.value, cookie.domain, cookie.path)
    return sum(len(text.encode("utf-8", "surrogateescape")) for text in texts)


def local_size(items: Sequence[LocalItem]) -> int:
    """Return the bytes of names and values in a local storage."""
    texts = (text for each in items for text in (each.origin, each.name, each.value))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def is_sendable(text: str) -> bool:
    """Return whether a text can be the value of a header."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return not any(char < " " or char == "\x7f" for char in text.replace("\t", " "))


def is_under(host: str, domain: str) -> bool:
    """Return whether a host is a domain or a name under the domain.

    >>> is_under("www.example.org", ".example.org"), is_under("127.0.0.1", ".0.0.1")
    (True, False)
    """
    bare = domain.lstrip(".")
    return host == bare or (has_names_under_it(bare) and host.endswith(f".{bare}"))


def has_names_under_it(domain: str) -> bool:
    """Return whether a domain has a dot, and is neither an address nor the end of an address.

    A name without a dot is taken for a public suffix.
    """
    _, dot, last = domain.rpartition(".")
    return bool(dot) and not last.isdecimal()


def _url(given: Any) -> str | None:
    if given is None:
        return None
    forms = (given, as_in_browsers(given)) if isinstance(given, str) else ()
    has_user = any(map(_USERINFO.match, forms))
    url = canonical(given) if forms and not has_user else None
    if url is None:
        raise InvalidCredentials("for: an http or https URL without user name is expected")
    return url


def _channel(given: Any, url: str | None) -> Credentials:
    if url is not None:
        raise InvalidCredentials("for: a channel has its address, and no URL")
    # Templates take more than a megabyte, and a fetch worker only asks how large a value is.
    from connectors.channels.channel import parse_channel  # noqa: PLC0415

    return parse_channel(given).credentials


def _basic(given: Any) -> tuple[str, str]:
    """Return the header of basic authentication (RFC 7617)."""
    if not isinstance(given, dict) or set(given) != {"user", "password"}:
        raise InvalidCredentials("basic: an object with user and password is expected")
    user, password = given["user"], given["password"]
    if not isinstance(user, str) or not isinstance(password, str):
        raise InvalidCredentials("basic: user and password are strings")
    if ":" in user or not is_sendable(user + password):
        raise InvalidCredentials(
            "basic: a user name without ':' is expected, and no control characters in either"
        )
    encoded = b64encode(f"{user}:{password}".encode()).decode()
    return "Authorization", f"Basic {encoded}"


def _secrets(given: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, dict) or not 0 < len(given) <= MAX_SECRETS:
        raise InvalidCredentials(
            f"secrets: an object with 1 to {MAX_SECRETS} secrets by their names is expected"
        )
    for name, value in given.items():
        if NAME.fullmatch(name) is None:
            raise InvalidCredentials(f"secrets: names of {NAMES} are expected")
        if not isinstance(value, str) or not value or not is_sendable(value):
            raise InvalidCredentials(f"secrets: {name} is no string without control characters")
    return tuple(given.items())


def _headers(lines: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(lines, list) or not 0 < len(lines) <= MAX_HEADERS:
        raise InvalidCredentials(f"headers: a list of 1 to {MAX_HEADERS} headers is expected")
    found = []
    for line in lines:
        if not isinstance(line, str):
            raise InvalidCredentials("header: a string 'Name: value' is expected")
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or not value or _TOKEN.fullmatch(name) is None or not is_sendable(value):
            # The line is not quoted: it may be a token without a name.
            raise InvalidCredentials("header: 'Name: value' in one line is expected")
        if name.lower() in _OURS:
            raise InvalidCredentials(f"header: {name} is no credentials; it cannot be set here")
        found.append((name, value))
    return tuple(found)


def _with_cookies(kind: str, given: Any, url: str | None) -> Credentials:
    local: Sequence[LocalItem] = ()
    if kind == "cookies":
        if not isinstance(given, str):
            raise InvalidCredentials("cookies: a string in the Netscape format is expected")
        found: Sequence[Cookie] = parse_netscape(given)
    else:
        state = _loaded(given)
        found, local = parse_storage_state(state), parse_local_storage(state)
    named = [_with_host(each) for each in found]
    host = None if url is None else hostname(url)
    kept = tuple(
        each
        for each in named
        if host is None or is_under(host, each.domain) or is_under(each.domain.lstrip("."), host)
    )
    items = tuple(each for each in local if url is None or each.origin == origin(url))
    if not kept and not items:
        where = "" if host is None else f" for {host}"
        what = "cookie" if kind == "cookies" else "cookie and no local storage"
        raise InvalidCredentials(f"{kind}: there is no {what}{where} in it")
    for each in kept:
        texts = (each.name, each.value, each.domain, each.path)
        if not each.domain or not each.name or not is_sendable("".join(texts)):
            raise InvalidCredentials(f"{kind}: a cookie without domain or name, or not sendable")
        if _host(each) is None:
            raise InvalidCredentials(
                f"{kind}: there is a cookie of the domain {each.domain[:80]}, which is no host"
            )
    return Credentials("cookies" if kind == "cookies" else "storage", "", (), kept, items)


def _loaded(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise InvalidCredentials("storage: this is not JSON") from None


def _host(cookie: Cookie) -> str | None:
    """Return the host of a cookie's domain as in canonical URLs, None if invalid."""
    url = canonical(f"http://{cookie.domain.lstrip('.')}/end")
    return hostname(url) if url is not None and url == f"http://{hostname(url)}/end" else None


def _with_host(cookie: Cookie) -> Cookie:
    """Spell the domain as requests do; a domain without subdomains is for this host alone."""
    host = _host(cookie)
    if host is None:
        return cookie
    host_only = cookie.host_only or not has_names_under_it(host)
    dot = "." if cookie.domain.startswith(".") and not host_only else ""
    return replace(cookie, domain=f"{dot}{host}", host_only=host_only)
