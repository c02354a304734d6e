"""A view in a JSON request: an object, refused with the position of what is wrong in it."""

import json

import pytest
from hypothesis import assume, given

from schemas.codec.json_requests import flat_json, parse, present_json
from schemas.codec.json_values import InvalidRequestBody, nested_json, nested_value
from schemas.records.page_requests import Header
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from schemas.records.views import Selector, ViewOptions
from tests.fakes.records import records


def parsed(view: object) -> ViewOptions:
    request = parse("subscribe", {"view": view})
    assert isinstance(request, Subscribe)
    return request.options.view


def test_a_view_is_an_object() -> None:
    assert parsed({"select": [{"css": "h1"}]}) == ViewOptions(select=(Selector(css="h1"),))


def test_as_is_the_content_type() -> None:
    assert parsed({"as": "text/plain", "main": True, "attributes": ["alt"]}) == ViewOptions(
        main=True, read_as="text/plain", attributes=("alt",)
    )


@pytest.mark.parametrize("none", [None, {}, {"select": None}, {"select": []}])
def test_what_is_absent_in_a_view_is_the_default(none: object) -> None:
    assert parsed(none) == ViewOptions()


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        ([], r"^view: an object is allowed$"),
        ({"selects": []}, r"^view.selects: there is no such field; did you mean select\?$"),
        ({"select": {}}, r"^view.select: a list of objects is allowed$"),
        ({"select": ["h1"]}, r"^view.select\[0\]: an object is allowed$"),
        ({"select": [{"css": "a"}, {"css": 5}]}, r"^view.select\[1\].css: a string is allowed$"),
        ({"exclude": [{"cs": "a"}]}, r"^view.exclude\[0\].cs: there is no such field"),
        ({"select": [{"css": "\ud800"}]}, r"^view.select\[0\].css: a lone surrogate"),
        ({"headers": [{"name": "a"}]}, r"^view.headers: an object of strings is allowed$"),
        ({"headers": {"A": "1", "X-B": 2}}, r"^view.headers.'X-B': a string is allowed$"),
        ({"headers": {"A\ud800": "1"}}, r"^view.headers.'A\\ud800': a string is allowed$"),
        ({"method": 1}, r"^view.method: a string is allowed$"),
    ],
)
def test_what_is_wrong_in_a_view_is_refused_with_its_position(view: object, reason: str) -> None:
    with pytest.raises(InvalidRequestBody, match=reason):
        parsed(view)


@given(records(ViewOptions))
def test_a_view_comes_back_from_json(view: ViewOptions) -> None:
    assume(len({header.name for header in view.headers}) == len(view.headers))
    assert nested_value(ViewOptions, json.loads(json.dumps(nested_json(view))), "view") == view


def test_headers_are_an_object_in_json() -> None:
    headers = Header("Accept", "text/csv"), Header("X-A", "1")
    view = ViewOptions(headers=headers, user_agent="me", language="de")
    written = {"headers": {"Accept": "text/csv", "X-A": "1"}, "userAgent": "me", "language": "de"}
    assert parsed(written) == view
    assert nested_json(view) == written


def test_a_subscription_without_a_view_shows_none() -> None:
    assert flat_json(Options())["view"] is None
    assert "view" not in present_json(Options())
    shown = flat_json(Options(view=ViewOptions(exclude=(Selector(css="nav"),))))
    assert shown["view"] == {"exclude": [{"css": "nav"}]}
