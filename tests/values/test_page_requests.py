"""Views that ask the same of a server have one request part, and so share each fetch."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.page_requests import PLAIN_REQUEST, Header, PageRequest
from schemas.records.subscriptions import Options
from schemas.records.views import Selector, ViewOptions
from streams.values.views import page_request_of, request_id_of, view_of, watched_view
from tests.fakes.records import records

SEARCH = ViewOptions(
    method="POST", headers=(Header("X-A", "1"), Header("X-B", "2")), body='{"query": "argus"}'
)


@given(records(ViewOptions), st.randoms())
def test_case_order_and_blanks_of_headers_mean_nothing(view: ViewOptions, random: object) -> None:
    names = {header.name.lower(): header for header in view.headers}
    headers = [Header(each.name.upper(), f" {each.value}\t") for each in names.values()]
    random.shuffle(headers)  # type: ignore[attr-defined]  # hypothesis has no name for its type
    view = replace(view, headers=tuple(names.values()))
    other = replace(view, method=view.method.lower(), headers=tuple(headers))
    assert page_request_of(other) == page_request_of(view)


@given(records(ViewOptions))
def test_the_canonical_form_of_a_canonical_form_is_itself(view: ViewOptions) -> None:
    found = page_request_of(view)
    others = {"owner", "rendering"}
    names = [field.name for field in fields(PageRequest) if field.name not in others]
    again = ViewOptions(**{name: getattr(found, name) for name in names})
    if (rendering := found.rendering) is not None:
        again = replace(
            again,
            render=True,
            wait_for=rendering.wait_for,
            steps=rendering.steps,
            screenshot=rendering.screenshot,
        )
    assert page_request_of(again) == found


def test_what_is_the_default_counts_not() -> None:
    json = Header("Content-Type", "application/json")
    assert page_request_of(ViewOptions(method="get", language=" ")) == PLAIN_REQUEST
    typed = replace(SEARCH, headers=(*SEARCH.headers, json))
    assert page_request_of(typed) == page_request_of(SEARCH)
    form = replace(typed, body="query=argus")
    assert page_request_of(form).headers[0] == Header("content-type", "application/json")


def test_each_part_of_a_request_makes_another_one() -> None:
    every = [
        ViewOptions(),
        SEARCH,
        replace(SEARCH, body='{"query": "hera"}'),
        replace(SEARCH, headers=SEARCH.headers[:1]),
        ViewOptions(language="de"),
        ViewOptions(user_agent="de"),
        ViewOptions(proxy="de"),
    ]
    assert len({request_id_of(page_request_of(each)) for each in every}) == len(every)
    assert len({watched_view(Options(view=each), "default").id for each in every}) == len(every)
    assert request_id_of(page_request_of(ViewOptions())) == ""


def test_views_that_read_other_parts_have_one_request() -> None:
    selecting = replace(SEARCH, select=(Selector(css="h1"),))
    views = [view_of(Options(view=each), "default") for each in (SEARCH, selecting)]
    assert views[0].request == views[1].request
    assert views[0] != views[1]
