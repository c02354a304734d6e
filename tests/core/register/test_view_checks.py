"""What is wrong with a view is refused with code 6, by REST and by topic alike."""

from functools import partial

import pytest

from connectors.grammars import GRAMMARS
from schemas.requests import Subscribe
from schemas.subscriptions import Options, Receiver
from schemas.views import MAX_EXPRESSION, MAX_SELECTORS, Selector, ViewOptions
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
        (ViewOptions(select=(H1, Selector())), "view.select[1]: css: exactly one of them is"),
        (ViewOptions(select=(Selector(css=""),)), "view.select[0].css: 1 to 1000 characters"),
        (ViewOptions(select=(H1, Selector(css="a" * 1001))), "view.select[1].css: 1 to 1000"),
        (ViewOptions(exclude=(Selector(css="p >"),)), "view.exclude[0].css: 'p >' is no CSS"),
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
