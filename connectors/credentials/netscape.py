"""Cookies in the Netscape format, as browsers' extensions, curl and yt-dlp write it.

https://curl.se/docs/http-cookies.html#cookie-file-format
"""

from connectors.credentials.errors import InvalidCredentials
from schemas.records.credentials import Cookie

_HTTP_ONLY = "#HttpOnly_"
_FIELDS = 7


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
            found.append(_cookie(number, line, http_only=each.startswith(_HTTP_ONLY)))
    return tuple(found)


def _cookie(number: int, line: str, *, http_only: bool) -> Cookie:
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
