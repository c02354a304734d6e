"""The request for a page: the part of a view for its server."""

import json
import re
from dataclasses import dataclass
from typing import Annotated

from schemas.records.credentials import CredentialsName
from schemas.records.field_types import Name
from schemas.records.fields import About
from schemas.records.rendering import Rendering

MAX_HEADERS = 20
"""The most headers of a request by a client."""
MAX_HEADER_NAME, MAX_HEADER_VALUE, MAX_BODY, MAX_PROXY_NAME = 100, 2_000, 6_000, 64
"""Characters; the whole view has to fit its 8,000 as well."""
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"

# RFC 9110, 5.6.2: what anything else would do to the request, depends on who reads it.
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_ASCII = re.compile(r"[\x20-\x7e\t]*")


def _value(meaning: str) -> About:
    allowed = f"at most {MAX_HEADER_VALUE:,} printable ASCII characters"
    return About(meaning, most=MAX_HEADER_VALUE, pattern=_ASCII, allowed=allowed)


Method = Annotated[
    str,
    About(
        "Method of the request: GET or POST.",
        pattern=re.compile("get|post", re.IGNORECASE),
        allowed="GET or POST",
    ),
]
Body = Annotated[
    str,
    About("Body of a POST.", most=MAX_BODY, allowed=f"at most {MAX_BODY:,} characters"),
]
UserAgent = Annotated[str, _value("User-Agent instead of Vokter's.")]
Language = Annotated[str, _value("Languages to ask for, such as de: the header Accept-Language.")]
Proxy = Annotated[
    str,
    About(
        "Proxy to use, by its name in VOKTER_PROXIES.",
        most=MAX_PROXY_NAME,
        allowed=f"at most {MAX_PROXY_NAME} characters",
    ),
]


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a request."""

    name: Annotated[
        str,
        About(
            least=1,
            most=MAX_HEADER_NAME,
            pattern=_TOKEN,
            allowed=f"1 to {MAX_HEADER_NAME} letters, digits and hyphens",
        ),
    ]
    value: Annotated[str, _value("")]


Headers = Annotated[
    tuple[Header, ...],
    About(
        "Headers to send, by name.",
        most_items=MAX_HEADERS,
        allowed=f"at most {MAX_HEADERS} headers",
        by_name=True,
    ),
]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The request part of a view.

    A document is fetched once for each request part of its views.

    A request part is compared and hashed in its canonical form; an empty text is our default.
    ``proxy`` names a proxy in the deployment's settings. ``owner`` is the manager of the
    ``credentials`` for the page: nobody else shares such a view. With ``rendering`` a browser gets
    the document.
    """

    method: Method = "GET"
    headers: Headers = ()
    body: Body = ""
    user_agent: UserAgent = ""
    language: Language = ""
    proxy: Proxy = ""
    credentials: CredentialsName = ""
    owner: Name = ""
    rendering: Annotated[Rendering | None, About(nested=True)] = None


PLAIN_REQUEST = PageRequest()
"""A GET with our headers, for a view without a request part."""


def default_content_type(body: str) -> str:
    """Return the Content-Type of a body without a declared type.

    >>> default_content_type('{"query": "argus"}')
    'application/json'
    """
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return _FORM
    return _JSON
