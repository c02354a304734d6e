"""Find the faults of a requested view, with their fields."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any

from schemas.codec.json_values import nested_json
from schemas.codec.validity import fault
from schemas.records.fields import record_fields
from schemas.records.numbers import PRODUCT
from schemas.records.page_requests import Header
from schemas.records.rendering import Step, WaitFor
from schemas.records.views import ROWS, Selector, ViewOptions
from streams.values.views import canonical_type

MAX_VIEW = 8_000
"""Bytes of a view as JSON."""

Grammars = Mapping[str, Callable[[str], str | None]]
"""By the JSON name of a field of a selector, and ``ignore``: returns why a text cannot be used.

``exclude`` checks an XPath for exclusions."""


def view_faults(
    grammars: Grammars, view: ViewOptions, proxies: Collection[str] = ()
) -> Iterator[str]:
    """Yield the faults of a view, each with its position.

    ``proxies`` are the names in the deployment.

    >>> [*view_faults({"css": lambda _: "it is not CSS"}, ViewOptions(select=(Selector(css="<"),)))]
    ['view.select[0].css: it is not CSS']
    """
    if len(json.dumps(nested_json(view))) > MAX_VIEW:
        yield f"view: at most {MAX_VIEW:,} characters of JSON are allowed"
        return
    yield from _combination_faults(view)
    yield from _faults(grammars, view, "view")
    for at, xpath in enumerate(each.xpath for each in view.exclude):
        if xpath is not None and (why := grammars["exclude"](xpath)) is not None:
            yield f"view.exclude[{at}].xpath: {why}"
    for at, pattern in enumerate(view.ignore):
        if (why := grammars["ignore"](pattern)) is not None:
            yield f"view.ignore[{at}]: {why}"
    number = view.number
    if number is not None and number.source == PRODUCT and (view.select or view.main):
        yield (
            "view.number.from: product reads what the page states for programs, so view.select "
            "and view.main are not allowed with it"
        )
    yield from request_faults(view, proxies)


def _combination_faults(view: ViewOptions) -> Iterator[str]:
    if not view.render and (view.wait_for is not None or view.steps):
        yield "view.waitFor, view.steps: only with view.render"
    if view.screenshot and not view.render:
        yield "view.screenshot: only with view.render"
    secret = next((at for at, step in enumerate(view.steps) if step.secret), None)
    if secret is not None and not view.credentials:
        yield f"view.steps[{secret}].secret: only with view.credentials"
    rows = canonical_type(view.read_as) == ROWS
    if view.stock and (view.number is not None or view.main or view.attributes or rows):
        yield "view.stock: number, main, attributes and as: rows are not allowed with it"
    if view.main and (view.select or view.exclude or view.attributes or rows):
        yield "view.main: select, exclude, attributes and as: rows are not allowed with it"


def _faults(grammars: Grammars, record: Any, place: str) -> Iterator[str]:
    inner = list(_field_faults(grammars, record, place))
    yield from inner
    if inner:
        return
    if isinstance(record, Selector | Step | WaitFor) and (wanted := fault(record)) is not None:
        yield f"{place}: {wanted} is allowed"
    for name, text in nested_json(record).items() if isinstance(record, Selector) else ():
        if name in grammars and (why := grammars[name](text)) is not None:
            yield f"{place}.{name}: {why}"


def _field_faults(grammars: Grammars, record: Any, place: str) -> Iterator[str]:
    """Yield the faults of a record's fields, and of the records in them."""
    kind: Any = type(record)
    for field in record_fields(kind):
        value, inner = getattr(record, field.name), f"{place}.{field.json_name}"
        if field.allows(value):
            for each, where in _records(value, inner):
                yield from _faults(grammars, each, where)
        else:
            verb = "is" if field.allowed.startswith(("a ", "an ")) else "are"
            yield f"{inner}: {field.allowed} {verb} allowed"


def _records(value: Any, place: str) -> Iterator[tuple[Any, str]]:
    """Return the records in a field, each with its position."""
    several = enumerate(value) if isinstance(value, tuple) else ()
    found = [(each, f"{place}[{at}]") for at, each in several] or [(value, place)]
    return (
        (each, header_place(each) if isinstance(each, Header) else where)
        for each, where in found
        if is_dataclass(each)
    )


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
"""Names of headers forbidden to clients, in lower case, and the reasons."""
_CONDITION = "if-"


def request_faults(view: ViewOptions, proxies: Collection[str]) -> Iterator[str]:
    """Yield the faults of the request part of a view; ``proxies`` are from the settings.

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
    """Return the name of a header for messages, for any header."""
    name = header.name[:50]
    return f"view.headers.{name if name.isprintable() else ascii(name)}"
