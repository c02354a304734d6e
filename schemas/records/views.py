"""Views: the ways in which subscriptions have their document read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from schemas.records.credentials import CredentialsName
from schemas.records.field_types import MAX_NAME, Count, Id, Name, Statuses, Time
from schemas.records.fields import About
from schemas.records.numbers import PRODUCT, NumberOptions
from schemas.records.page_requests import (
    PLAIN_REQUEST,
    Body,
    Headers,
    Language,
    Method,
    PageRequest,
    Proxy,
    UserAgent,
)
from schemas.records.rendering import MAX_STEPS, Step, WaitFor

_POSITION = re.compile(r":(?:nth|first|last)-(?:last-)?(?:child|of-type)")

MAX_SELECTORS = 10
MAX_EXPRESSION = 1_000
"""Characters of a selector."""
MAX_PATTERNS, MAX_PATTERN = 20, 500
"""Patterns of text to ignore, and characters of each."""
ROWS = "rows"
"""The value of ``view.as`` for rows."""
MAX_ATTRIBUTES, MAX_ATTRIBUTE = 10, 50
"""Attributes whose values are read, and characters of a name."""
MAX_CONTEXT = 200
"""Characters before and after a quote."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage by its words, and the words around; W3C's TextQuoteSelector."""

    exact: Annotated[
        str,
        About(
            "The passage.",
            least=1,
            most=MAX_EXPRESSION,
            pattern=re.compile(r"\s*\S[\s\S]*"),
            allowed=f"1 to {MAX_EXPRESSION:,} characters, not only blanks,",
        ),
    ]
    prefix: Annotated[str, About("What is before it.", most=MAX_CONTEXT, unit="characters")] = ""
    suffix: Annotated[str, About("What is after it.", most=MAX_CONTEXT, unit="characters")] = ""


@dataclass(frozen=True, slots=True)
class Selector:
    """Finds parts of a page; exactly one field is set, and names the language."""

    css: Annotated[
        str | None,
        About("CSS, in HTML and XML.", least=1, most=MAX_EXPRESSION, unit="characters"),
    ] = None
    xpath: Annotated[
        str | None,
        About("XPath 1.0, in HTML and XML.", least=1, most=MAX_EXPRESSION, unit="characters"),
    ] = None
    jsonpath: Annotated[
        str | None,
        About("JSONPath (RFC 9535), in JSON.", least=1, most=MAX_EXPRESSION, unit="characters"),
    ] = None
    quote: Annotated[
        Quote | None, About("A passage of the text itself, in any document.", nested=True)
    ] = None


Selectors = Annotated[
    tuple[Selector, ...],
    About(most_items=MAX_SELECTORS, allowed=f"at most {MAX_SELECTORS} selectors"),
]


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The way in which a client wants a document; the object ``view`` in JSON."""

    select: Annotated[
        tuple[Selector, ...],
        About(
            "Read only what these selectors find.",
            most_items=MAX_SELECTORS,
            allowed=f"at most {MAX_SELECTORS} selectors",
        ),
    ] = ()
    exclude: Annotated[
        tuple[Selector, ...],
        About(
            "Do not read what these selectors find.",
            most_items=MAX_SELECTORS,
            allowed=f"at most {MAX_SELECTORS} selectors",
        ),
    ] = ()
    ignore: Annotated[
        tuple[str, ...],
        About(
            "Remove what these regular expressions (RE2) match from the text.",
            least=1,
            most=MAX_PATTERN,
            most_items=MAX_PATTERNS,
            allowed=f"at most {MAX_PATTERNS} patterns of 1 to {MAX_PATTERN} characters",
        ),
    ] = ()
    main: Annotated[bool, About("Read only the article of an HTML page.")] = False
    attributes: Annotated[
        tuple[str, ...],
        About(
            "Read the values of these attributes of HTML, too.",
            least=1,
            most=MAX_ATTRIBUTE,
            most_items=MAX_ATTRIBUTES,
            pattern=re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,49}"),
            allowed=f"at most {MAX_ATTRIBUTES} names of 1 to {MAX_ATTRIBUTE} letters, digits and "
            "hyphens",
        ),
    ] = ()
    read_as: Annotated[
        str | None,
        About(
            "rows: each row of a table by itself, its cells after their headers; else the same as "
            "documentContentType.",
            least=1,
            most=MAX_NAME,
            unit="characters",
            json_name="as",
        ),
    ] = None
    number: Annotated[
        NumberOptions | None, About("Read one number, such as a price.", nested=True)
    ] = None
    stock: Annotated[
        bool, About("Read one word: whether a product is in stock, as in 'Out of stock'.")
    ] = False
    method: Method = "GET"
    headers: Headers = ()
    body: Body = ""
    user_agent: UserAgent = ""
    language: Language = ""
    proxy: Proxy = ""
    credentials: CredentialsName = ""
    render: Annotated[bool, About("Read the page as a browser shows it.")] = False
    wait_for: Annotated[
        WaitFor | None, About("Rendered: wait until the page has this.", nested=True)
    ] = None
    steps: Annotated[
        tuple[Step, ...],
        About(
            "Rendered: do this first, step by step.",
            most_items=MAX_STEPS,
            allowed=f"at most {MAX_STEPS} steps",
        ),
    ] = ()
    screenshot: Annotated[bool, About("Rendered: keep a picture of the page.")] = False


@dataclass(frozen=True, slots=True)
class View:
    """The way to get and read a page: a part of a subscription's options.

    Subscriptions with the same view share its snapshots and changes. A view is compared and
    hashed in its canonical form.
    """

    content_type: Name | None = None
    on_status: Statuses = ()
    select: Selectors = ()
    exclude: Selectors = ()
    ignore: tuple[str, ...] = ()
    main: bool = False
    attributes: tuple[str, ...] = ()
    rows: bool = False
    number: NumberOptions | None = None
    stock: bool = False
    request: PageRequest = PLAIN_REQUEST


@dataclass(frozen=True, slots=True)
class WatchedView:
    """A view of subscriptions to a document; ``id`` is empty for the default view.

    ``max_failures`` is the smallest limit of failures in a row among its subscriptions, None if
    none has a limit; ``by_default`` says whether any leaves the limit to the deployment.
    ``notices`` are the numbers of failures in a row for a notice of an unreadable document, and
    then of its recovery. With ``documents`` a subscription searches the whole text. Since the time
    ``links`` a crawl wants the page's links, 0: none does. ``managers`` are the managers of its
    active subscriptions, as in a Watch, if its document has several request parts. ``patience``
    (seconds) and ``patience_visits`` are the longest of its subscriptions, 0 without patience.
    """

    id: Id = ""
    view: View = View()
    max_failures: Count | None = None
    by_default: bool = True
    notices: tuple[int, ...] = ()
    documents: bool = False
    managers: tuple[str, ...] = ()
    patience: Count = 0
    patience_visits: Count = 0
    links: Time = 0


DEFAULT_VIEWS = (WatchedView(),)


def is_of_value(view: ViewOptions) -> bool:
    """Return whether a view reads a value alone, so needs no keyword."""
    return view.number is not None or view.stock


def is_of_product(view: View) -> bool:
    """Return whether a view reads the price of a page for programs."""
    return view.number is not None and view.number.source == PRODUCT


def is_by_position(css: str) -> bool:
    """Return whether a CSS selector counts elements: a further element may shift its match.

    >>> is_by_position(".jobs > li:nth-of-type(2)"), is_by_position(".jobs > li")
    (True, False)
    """
    return _POSITION.search(css) is not None


def without_quotes(selectors: Iterable[Selector]) -> tuple[Selector, ...]:
    """Return the selectors of elements or values, not of passages in the text."""
    return tuple(each for each in selectors if each.quote is None)
