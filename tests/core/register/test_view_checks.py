"""What is wrong with a view is refused with code 6, by REST and by topic alike."""

from functools import partial

import pytest

from connectors.grammars import GRAMMARS
from schemas.requests import Subscribe
from schemas.subscriptions import Options, Receiver
from schemas.views import MAX_EXPRESSION, MAX_SELECTORS, Quote, Selector, ViewOptions
from streams.core.register.requests import Refusal, Rules, check
from streams.core.register.view_checks import MAX_VIEW, view_fault

H1 = Selector(css="h1")
LONG = Selector(css="a" * MAX_EXPRESSION)


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (ViewOptions(), None),
        (ViewOptions(select=(H1,) * MAX_SELECTORS, exclude=(H1,)), None),
        (ViewOptions(select=(H1,) * 11), "view.select: at most 10 selectors are allowed"),
        (ViewOptions(exclude=(H1,) * 11), "view.exclude: at most 10 selectors are allowed"),
        (
            ViewOptions(select=(H1, Selector())),
            "view.select[1]: css, xpath, jsonpath, quote: exa",
        ),
        (ViewOptions(select=(Selector(css=""),)), "view.select[0].css: 1 to 1000 characters"),
        (ViewOptions(select=(H1, Selector(css="a" * 1001))), "view.select[1].css: 1 to 1000"),
        (ViewOptions(exclude=(Selector(css="p >"),)), "view.exclude[0].css: it is no CSS"),
        (ViewOptions(select=(Selector(xpath="//a["),)), "view.select[0].xpath: it is no XPath 1.0"),
        (ViewOptions(select=(Selector(xpath="document('x')"),)), "view.select[0].xpath: it is no"),
        (ViewOptions(select=(Selector(xpath="//dc:a"),)), None),
        (ViewOptions(select=(Selector(jsonpath="a.b"),)), "view.select[0].jsonpath: it is no JS"),
        (ViewOptions(select=(Selector(jsonpath="$[?" + "@[?" * 200),)), "view.select[0].jsonpath"),
        (
            ViewOptions(select=(Selector(quote=Quote(" ")),)),
            "view.select[0].quote.exact: 1 to 1",
        ),
        (ViewOptions(select=(Selector(quote=Quote("a", "b" * 201)),)), "view.select[0].quote.pre"),
        (ViewOptions(ignore=("a", "(?=b)")), "view.ignore[1]: it is no regular expression of RE2"),
        (ViewOptions(ignore=("a",) * 21), "view.ignore: at most 20 patterns of 1 to 500"),
        (ViewOptions(ignore=("",)), "view.ignore: at most 20 patterns of 1 to 500 characters"),
        (ViewOptions(select=(LONG,) * 8), f"view: at most {MAX_VIEW:,} characters of JSON"),
    ],
)
def test_a_fault_of_a_view_is_named_with_its_position(
    view: ViewOptions, reason: str | None
) -> None:
    request = Subscribe(
        "http://d.test/", Receiver("http://c.test/"), keywords=("a",), options=Options(view=view)
    )
    found = check(request, Rules(60, view_fault=partial(view_fault, GRAMMARS)), tuple)
    if reason is None:
        assert not isinstance(found, Refusal)
    else:
        assert isinstance(found, Refusal)
        assert (found.code, found.detail.startswith(reason)) == (6, True), found.detail
