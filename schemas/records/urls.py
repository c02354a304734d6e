"""URLs in a canonical form, so a document has a single URL."""

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote, unquote

import idna

MAX_URL = 2_048
"""Characters of a URL, before and after its canonical form."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\ud800-\udfff]")
_AROUND = " \t\n\r\f"
_UNREAD = str.maketrans({"\t": None, "\n": None, "\r": None, " ": "%20"})
_BEFORE_QUERY = re.compile(r"[^?#]*")
# RFC 3986, appendix B, with a scheme and an authority that must be there.
_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:@\[\]]+))(?::([0-9]*))?")
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?")
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
_USERINFO = re.compile(
    r"(?:(?<=//)|(?<=^https:)|(?<=^https:/)|(?<=^http:)|(?<=^http:/))[^/?#]*@", re.IGNORECASE
)
"""A name and password, also where slashes are missing: browsers read such a URL, too."""
USERINFO_REFUSED = (
    "a user name or password in a URL is refused, for it would be stored and listed; "
    "a page behind a login is watched with credentials"
)
_PORT = re.compile(r":[0-9]+\Z")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|%")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_PATH = "/:@!$&'()*+,;=%"
_QUERY = _PATH + "?"


def canonical(url: str) -> str | None:
    """Return the canonical form of an http or https URL, None if invalid.

    RFC 3986, section 6.2.2 and 6.2.3: case, percent-encoding, dot segments, default port; the
    fragment is dropped, an internationalised host becomes ASCII (RFC 5891) and other characters are
    percent-encoded UTF-8. Blanks and backslashes are read as browsers do. User names and control
    characters are refused. ``canonical(canonical(url)) == canonical(url)``.
    """
    return None if len(url) > MAX_URL else _canonical(url)


@lru_cache(maxsize=256)  # a request is forwarded by it, checked and keyed; receivers repeat
def _canonical(given: str) -> str | None:
    url = as_in_browsers(given)
    if _FORBIDDEN.search(url):
        return None
    parts = _URL.fullmatch(url)
    authority = parts and _authority(parts[1].lower(), parts[2])
    if not parts or authority is None:
        return None
    path = _without_dots(_encoded(parts[3], _PATH))
    result = f"{parts[1].lower()}://{authority}{path}{_encoded(parts[4] or '', _QUERY)}"
    return result if len(result) <= MAX_URL else None


def as_in_browsers(reference: str) -> str:
    r"""Return a URL, or a relative reference, without blanks and backslashes.

    https://url.spec.whatwg.org/#concept-basic-url-parser: surrounding blanks, tabs and line ends
    are left out, other blanks are percent-encoded, and a backslash before the query is a slash.

    >>> as_in_browsers(r" http:\\example.org\a b.html?q=1 2 ")
    'http://example.org/a%20b.html?q=1%202'
    """
    plain = reference.strip(_AROUND).translate(_UNREAD)
    return _BEFORE_QUERY.sub(lambda path: path[0].replace("\\", "/"), plain, count=1)


def without_userinfo(url: str) -> str:
    r"""Return a URL without its name and password, as browsers find them.

    >>> without_userinfo("https://hera:pass@example.org/")
    'https://example.org/'
    >>> without_userinfo(r"https:\\hera:pass@example.org/")
    'https://example.org/'
    """
    plain = as_in_browsers(url)
    found = _USERINFO.sub("", plain)
    return url if found == plain else found


def host(url: str) -> str:
    """Return ``host[:port]`` of a canonical URL."""
    return url.split("/", 3)[2]


def hostname(url: str) -> str:
    """Return the host of a canonical URL without its port."""
    return _PORT.sub("", host(url)).rstrip(".")


def _authority(scheme: str, text: str) -> str | None:
    parts = _AUTHORITY.fullmatch(text)
    if parts is None:
        return None
    name = _address(parts[1]) if parts[1] else _name(parts[2])
    port = int((parts[3] or "")[:9] or _DEFAULT_PORTS[scheme])
    if name is None or not 0 < port < 65_536:
        return None
    return name if port == _DEFAULT_PORTS[scheme] else f"{name}:{port}"


def _address(text: str) -> str | None:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return None
    # Versions of Python write a mapped IPv4 address differently.
    return str(address.ipv4_mapped) if address.ipv4_mapped else f"[{address}]"


def _name(text: str) -> str | None:
    name = unquote(text).lower()
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True).decode()
        except (idna.IDNAError, UnicodeError):
            return None
    if not _HOST.fullmatch(name):
        return None
    if not _NUMERIC.fullmatch(name):
        return name
    try:
        # Other spellings of an address (octal, hexadecimal, short) are refused.
        return str(IPv4Address(name.removesuffix(".")))
    except AddressValueError:
        return None


def _encoded(text: str, allowed: str) -> str:
    """Percent-encode all but the allowed characters."""
    return quote(_ESCAPE.sub(_escape, text), safe=allowed + "~")


def _escape(found: re.Match[str]) -> str:
    if found[1] is None:
        return "%25"
    character = chr(int(found[1], 16))
    return character if _UNRESERVED.fullmatch(character) else f"%{found[1].upper()}"


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4, for an absolute or empty path."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/" + "/".join(kept)
