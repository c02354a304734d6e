"""How a page is got: the part of a view that decides what its server is asked."""

import re
from dataclasses import dataclass
from typing import Annotated

from schemas.fields import About

MAX_HEADERS = 20
"""Headers of a request that a client may choose."""
MAX_HEADER_NAME, MAX_HEADER_VALUE = 100, 2_000
MAX_BODY = 10_000
MAX_USER_AGENT, MAX_LANGUAGE, MAX_PROXY_NAME = 500, 200, 64
"""Characters."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a request."""

    name: Annotated[str, About(most=MAX_HEADER_NAME, allowed=f"at most {MAX_HEADER_NAME} letters")]
    value: Annotated[
        str,
        About(
            most=MAX_HEADER_VALUE,
            pattern=re.compile(r"[\x20-\x7e\t]*"),
            allowed=f"at most {MAX_HEADER_VALUE} printable ASCII characters",
        ),
    ]


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The request part of a view. A document is fetched once for each that its views have.

    It is compared and hashed in the canonical form that ``streams.core.views`` gives it; an
    empty text is our own default. ``proxy`` is one that the deployment's settings name.
    """

    method: Annotated[str, About(choices=("GET", "POST"), allowed="GET or POST")] = "GET"
    headers: tuple[Header, ...] = ()
    body: Annotated[str, About(most=MAX_BODY, unit="characters")] = ""
    user_agent: Annotated[str, About(most=MAX_USER_AGENT, unit="characters")] = ""
    language: Annotated[str, About(most=MAX_LANGUAGE, unit="characters")] = ""
    proxy: Annotated[str, About(most=MAX_PROXY_NAME, unit="characters")] = ""


PLAIN_REQUEST = PageRequest()
"""A GET with our own headers, as of a view that says nothing of how its page is got."""
