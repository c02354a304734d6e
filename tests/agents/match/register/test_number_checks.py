"""What is wrong with a number that is asked for is refused with code 6."""

import json
from typing import Any

import pytest

from schemas.codec.json_requests import FaultyRequest, flat_json, parse_request
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.requests import Subscribe
from streams.agents.match.register.requests import Rules, check
from streams.agents.match.register.view_checks import view_faults
from streams.values.views import watched_view

PRICE = {"select": [{"css": "#price"}], "number": {}}
RULES = Rules(60, view_faults=lambda view: view_faults({"css": lambda _: None}, view))


def refusal(**fields: Any) -> str | None:
    body = {"documentUrl": "https://shop.example/", "session": "me", **fields}
    request = parse_request(json.dumps(body).encode())
    if isinstance(request, FaultyRequest):
        return request.faults[0].detail
    found = check(request, RULES)
    if not isinstance(found, Refusal):
        return None
    return found.detail if found.code == Code.INVALID_FORMAT else str(found.code)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"view": PRICE}, None),
        ({"view": PRICE, "keywords": ["*"]}, None),
        ({"view": {"number": {"from": "product", "currency": "eur"}}}, None),
        ({"view": PRICE, "when": {"below": 19.99, "above": "30", "changesBy": 5}}, None),
        ({}, str(Code.NO_KEYWORD)),
        (
            {"view": PRICE, "keywords": ["sale"]},
            "keywords: a view with view.number has the number alone; leave them out",
        ),
        ({"keywords": ["*"], "when": {"below": 1}}, "when: only with view.number"),
        (
            {"view": PRICE, "when": {"below": "cheap"}},
            "when.below: a number such as 1299.50, with a point, is allowed, not 'cheap'",
        ),
        (
            {"view": PRICE, "when": {"below": 1e40}},
            "when.below: a number such as 1299.50, with a point, is allowed, not '1E+40'",
        ),
        (
            {"view": PRICE, "when": {"changesBy": 0}},
            "when.changesBy: a number of percent above 0, such as \"5\", is allowed, not '0'",
        ),
        ({"view": PRICE, "when": {"below": 9, "above": 3}}, "when.below: 9 is more than the upper"),
        ({"view": PRICE, "when": {"under": 9}}, "when.under: there is no such field; there are"),
        ({"view": PRICE, "when": {"below": True}}, "when.below: a string is allowed"),
        ({"view": PRICE, "ignoreNoise": True}, "ignoreNoise: not with view.number"),
        ({"view": PRICE, "ignoreReturns": True}, "ignoreReturns: not with view.number"),
        (
            {"view": {**PRICE, "number": {"from": "product"}}},
            "view.number.from: product reads what the page states for programs",
        ),
        (
            {"view": {"number": {"currency": "euro"}}},
            "view.number.currency: three letters, such as 'EUR', are allowed",
        ),
        ({"view": {"number": {"pick": "best"}}}, "view.number.pick: 'first', 'last', 'lowest'"),
    ],
)
def test_a_fault_names_the_field_the_value_and_what_is_allowed(
    fields: dict[str, Any], reason: str | None
) -> None:
    found = refusal(**fields)
    assert (found is None) if reason is None else (found or "").startswith(reason)


def test_numbers_of_json_are_kept_as_they_were_written() -> None:
    body = (
        b'{"documentUrl": "https://a.example/", "when": {"below": 0.10, "above": 1234567890.123}}'
    )
    request = parse_request(body)
    assert isinstance(request, Subscribe)
    assert flat_json(request)["when"] == {"below": "0.10", "above": "1234567890.123"}


def test_numbers_that_are_read_alike_share_a_view() -> None:
    views = []
    for number in (
        {"locale": "de_AT", "currency": "eur"},
        {"from": "text", "locale": "de-at", "currency": "EUR"},
    ):
        body = {"documentUrl": "https://a.example/", "view": {**PRICE, "number": number}}
        request = parse_request(json.dumps(body).encode())
        assert isinstance(request, Subscribe)
        views.append(watched_view(request.options, "default"))
    assert views[0] == views[1]
    assert views[0].id
