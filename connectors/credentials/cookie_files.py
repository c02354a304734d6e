"""Files with cookies: a storage state of Playwright, and cookies.txt of Netscape.

https://playwright.dev/docs/api/class-browsercontext#browser-context-storage-state
"""

from typing import Any

from connectors.credentials.errors import InvalidCredentials
from schemas.records.credentials import Cookie, LocalItem, origin
from schemas.records.urls import canonical

MAX_ORIGINS = 20
"""Sites whose local storage credentials have; a browser loads each by itself."""
_TYPES: dict[str, Any] = {"name": str, "value": str, "domain": str, "path": str}

_HTTP_ONLY = "#HttpOnly_"
_FIELDS = 7


def parse_storage_state(state: Any) -> tuple[Cookie, ...]:
    """Read the cookies of a storage state; raises InvalidCredentials for anything else.

    >>> parse_storage_state({"cookies": [{"name": "a", "value": "b", "domain": "example.org"}]})
    (Cookie(name='a', domain='example.org', path='/', secure=False, host_only=True, expires=None),)
    """
    cookies = state.get("cookies") if isinstance(state, dict) else None
    if not isinstance(cookies, list):
        raise InvalidCredentials(
            "storage: an object with a list of cookies is expected, as Playwright writes it"
        )
    return tuple(_cookie(number, each) for number, each in enumerate(cookies))


def _cookie(number: int, given: Any) -> Cookie:
    if not isinstance(given, dict):
        raise InvalidCredentials(f"storage: cookies[{number}] is no object")
    values = {name: given.get(name, "") for name in _TYPES}
    expires = given.get("expires", -1)
    for name, value in values.items():
        if not isinstance(value, _TYPES[name]):
            raise InvalidCredentials(f"storage: cookies[{number}].{name} is no string")
    if isinstance(expires, bool) or not isinstance(expires, int | float):
        raise InvalidCredentials(f"storage: cookies[{number}].expires is no number of seconds")
    domain = values["domain"].lower()
    return Cookie(
        name=values["name"],
        value=values["value"],
        domain=domain,
        path=values["path"] or "/",
        secure=given.get("secure") is True,
        host_only=not domain.startswith("."),
        expires=int(expires) if 0 < expires < 2**53 else None,
        http_only=given.get("httpOnly") is True,
    )


def parse_local_storage(state: Any) -> tuple[LocalItem, ...]:
    """Read the local storage of a storage state; raises InvalidCredentials for anything else.

    >>> item = {"name": "token", "value": "t1"}
    >>> state = {"origins": [{"origin": "https://example.org", "localStorage": [item]}]}
    >>> parse_local_storage(state)
    (LocalItem(origin='https://example.org', name='token'),)
    """
    origins = state.get("origins", [])
    if not isinstance(origins, list) or len(origins) > MAX_ORIGINS:
        raise InvalidCredentials(f"storage: origins is no list of at most {MAX_ORIGINS}")
    found = []
    for at, given in enumerate(origins):
        place = f"storage: origins[{at}]"
        name = given.get("origin") if isinstance(given, dict) else None
        url = canonical(name) if isinstance(name, str) else None
        items = given.get("localStorage", []) if isinstance(given, dict) else None
        if url is None or not isinstance(items, list):
            raise InvalidCredentials(f"{place} is not an origin with a list localStorage")
        for number, each in enumerate(items):
            item = each if isinstance(each, dict) else {}
            key, value = item.get("name"), item.get("value")
            if not isinstance(key, str) or not isinstance(value, str):
                raise InvalidCredentials(f"{place}.localStorage[{number}] has no name and value")
            found.append(LocalItem(origin(url), key, value))
    return tuple(found)


def parse_netscape(text: str) -> tuple[Cookie, ...]:
    r"""Parse a ``cookies.txt``; raises InvalidCredentials with the number of the wrong line.

    >>> (cookie,) = parse_netscape("example.org\tFALSE\t/\tTRUE\t0\tsession\tsecret")
    >>> cookie.domain, cookie.name, cookie.secure, cookie.expires
    ('example.org', 'session', True, None)
    """
    found = []
    for number, each in enumerate(text.splitlines(), start=1):
        line = each.removeprefix(_HTTP_ONLY)
        if line.strip() and not line.startswith("#"):
            found.append(_netscape_cookie(number, line, http_only=each.startswith(_HTTP_ONLY)))
    return tuple(found)


def _netscape_cookie(number: int, line: str, *, http_only: bool) -> Cookie:
    fields = line.split("\t")
    if len(fields) == _FIELDS - 1:  # an empty value at the end of the line, which was stripped
        fields.append("")
    if len(fields) != _FIELDS:
        raise InvalidCredentials(
            f"cookies: line {number} has {len(fields)} fields, expected {_FIELDS} with tabs "
            "between them (Netscape format)"
        )
    domain, with_names_under_it, path, secure, expires, name, value = fields
    try:
        end = int(float(expires or 0))
    except (ValueError, OverflowError):
        raise InvalidCredentials(
            f"cookies: line {number} has no number of seconds in the field of its expiry"
        ) from None
    return Cookie(
        name=name,
        value=value,
        domain=domain.strip().lower(),
        path=path or "/",
        secure=secure.upper() == "TRUE",
        host_only=with_names_under_it.upper() != "TRUE" and not domain.startswith("."),
        expires=end if end > 0 else None,
        http_only=http_only,
    )
