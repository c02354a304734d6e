"""Views: the options of a subscription for the request and reading of a page.

A view is a value. Views with the same meaning have a common canonical form, and so a common id. The
id hashes only differences from the default: a part added by a later release leaves the ids of all
views without this part.
"""

import json
from dataclasses import replace
from functools import lru_cache
from unicodedata import normalize

from schemas.codec.json_values import nested_json
from schemas.records.numbers import PRODUCT, TEXT, NumberOptions
from schemas.records.page_requests import (
    PLAIN_REQUEST,
    Header,
    PageRequest,
    default_content_type,
)
from schemas.records.rendering import Rendering
from schemas.records.subscriptions import Options
from schemas.records.urls import canonical
from schemas.records.views import (
    MAX_CONTEXT,
    MAX_EXPRESSION,
    ROWS,
    Quote,
    Selector,
    View,
    ViewOptions,
    WatchedView,
)
from streams.values.ids import content_id


def view_of(options: Options, manager: str) -> View:
    """Return the view of the options of a manager's subscription, in canonical form.

    >>> view_of(Options(content_type=" Text/Plain "), "default") == View("text/plain")
    True
    """
    request = page_request_of(options.view)
    return View(
        content_type=canonical_type(options.content_type) or type_in_view(options.view),
        on_status=tuple(sorted(set(options.on_status))),
        select=_canonical(options.view.select),
        exclude=_canonical(options.view.exclude),
        ignore=tuple(sorted(set(options.view.ignore))),
        main=options.view.main,
        attributes=tuple(sorted({name.lower() for name in options.view.attributes})),
        rows=canonical_type(options.view.read_as) == ROWS,
        number=_canonical_number(options.view),
        stock=options.view.stock,
        request=replace(request, owner=manager) if request.credentials else request,
    )


def page_request_of(view: ViewOptions) -> PageRequest:
    """Return how a client asks for its page to be got, in canonical form, without an owner.

    >>> page_request_of(ViewOptions(headers=(Header("X-B", " 2 "), Header("a", "1")))).headers
    (Header(name='a', value='1'), Header(name='x-b', value='2'))
    """
    headers = {each.name.lower(): each.value.strip() for each in view.headers}
    if view.body and headers.get("content-type") == default_content_type(view.body):
        del headers["content-type"]
    rendering = None
    if view.render:  # addresses inside are canonical
        steps = (replace(step, goto=canonical(step.goto or "")) for step in view.steps)
        rendering = Rendering(view.wait_for, tuple(steps), view.screenshot)
    return PageRequest(
        method=view.method.upper(),
        headers=tuple(Header(name, headers[name]) for name in sorted(headers)),
        body=view.body,
        user_agent=view.user_agent.strip(),
        language=view.language.strip(),
        proxy=view.proxy,
        credentials=view.credentials,
        rendering=rendering,
    )


def _canonical_number(view: ViewOptions) -> NumberOptions | None:
    number = view.number
    if number is None:
        return None
    return replace(
        number,
        source=number.source or (TEXT if view.select or view.main else PRODUCT),
        locale=number.locale.replace("_", "-").lower(),
        currency=number.currency.upper(),
    )


def type_in_view(view: ViewOptions) -> str | None:
    """Return the content type in ``view.as``, None if there is none.

    >>> type_in_view(ViewOptions(read_as="rows"))
    """
    named = canonical_type(view.read_as)
    return None if named == ROWS else named


def canonical_type(content_type: str | None) -> str | None:
    """Return a content type without blanks and in small letters, None for an empty text."""
    return (content_type or "").strip().lower() or None


def _canonical(selectors: tuple[Selector, ...]) -> tuple[Selector, ...]:
    """Return selectors without blanks around them, each once; their order means nothing."""
    return tuple(sorted({_stripped(each) for each in selectors}, key=repr))


def _stripped(selector: Selector) -> Selector:
    if (quote := selector.quote) is not None:
        composed = Quote(
            _composed(quote.exact, MAX_EXPRESSION),
            _composed(quote.prefix, MAX_CONTEXT),
            _composed(quote.suffix, MAX_CONTEXT),
        )
        return replace(selector, quote=composed)
    return replace(selector, **{name: text.strip() for name, text in nested_json(selector).items()})


def _composed(text: str, most: int) -> str:
    """Return words as readers write them: in NFKC, without soft hyphens.

    A text which would be blank or too long stays unchanged.
    """
    composed = normalize("NFKC", text.replace("\u00ad", ""))
    return composed if len(composed) <= most and (composed.strip() or not text) else text


@lru_cache(maxsize=256)
def watched_view(options: Options, manager: str) -> WatchedView:
    """Return the same view with its id.

    >>> watched_view(Options(), "default").id
    ''
    """
    view = view_of(options, manager)
    return WatchedView(view_id(view), view)


def view_id(view: View) -> str:
    """Return the content id of a view in canonical form; the default view's is empty."""
    return "" if view == View() else content_id("view", _written(view))


def request_id_of(request: PageRequest) -> str:
    """Return the content id of a request part in canonical form; a plain GET's is empty."""
    return "" if request == PLAIN_REQUEST else content_id("request", _written(request))


def view_size(view: View) -> int:
    """Return about how many bytes a view takes in a message; 0 for the smallest."""
    return 0 if view == View(view.content_type, view.on_status) else len(_written(view))


def view_weight(watched: WatchedView) -> int:
    """Return the weight of a view in messages with a limit of views: 1 for a small view."""
    return 1 + -(-view_size(watched.view) // 1_000)


def _written(value: View | PageRequest) -> str:
    return json.dumps(nested_json(value), sort_keys=True)
