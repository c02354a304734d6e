"""What is wrong with the times at which a client wants to be notified is refused at its field."""

import json
from typing import Any

import pytest

from schemas.codec.json_requests import FaultyRequest, parse_request
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.agents.match.register import checks
from streams.agents.match.register.requests import Rules, check

WEBHOOK = "https://client.example/hook"
HOURS = "Mon-Fri 08:00-18:00"


def faults(**fields: Any) -> list[str]:
    body = {"documentUrl": "https://shop.example/", "keywords": ["*"], **fields}
    if "session" not in fields:
        body.setdefault("clientUrl", WEBHOOK)
    request = parse_request(json.dumps(body).encode())
    if isinstance(request, FaultyRequest):
        return [each.detail for each in request.faults]
    found = check(request, Rules(60))
    if not isinstance(found, Refusal):
        return []
    assert found.code == Code.INVALID_FORMAT
    return [f"{each.field}: {each.reason}" for each in found.faults]


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({"hours": HOURS}, []),
        ({"hours": HOURS, "timezone": "Europe/Berlin", "clientUrl": "channel:team"}, []),
        ({"maxPerDay": 5, "timezone": "Europe/Berlin"}, []),
        ({"maxPerDay": 0}, ["maxPerDay: 1 to 1000 notifications"]),
        ({"maxPerDay": 5, "session": "me"}, ["maxPerDay: only for a webhook or a channel"]),
        ({"failingAfter": 3, "notifyFailures": True}, []),
        ({"failingAfter": 3}, ["failingAfter: only with notifyFailures"]),
        ({"failingAfter": 21, "notifyFailures": True}, ["failingAfter: 1 to 20 failures"]),
        ({"hours": "sometimes"}, ["hours: days and times are expected, such as"]),
        ({"hours": ""}, ["hours: 1 to 200 characters"]),
        ({"hours": "8-18" + " " * 200}, ["hours: 1 to 200 characters"]),
        ({"hours": HOURS, "session": "me"}, ["hours: only for a webhook or a channel"]),
        ({"timezone": "UTC"}, ["timezone: only hours and maxPerDay have one"]),
        (
            {"hours": HOURS, "timezone": "Europe/Berln"},
            ["timezone: the IANA name of a time zone is expected (perhaps Europe/Berlin), not"],
        ),
        (
            {"hours": "8-8", "timezone": "Mars"},
            ["hours: '8-8' has no end", "timezone: the IANA name"],
        ),
    ],
)
def test_wrong_times_are_refused_with_the_field_and_what_is_expected(
    fields: dict[str, Any], reasons: list[str]
) -> None:
    found = faults(**fields)
    assert len(found) == len(reasons)
    for fault, reason in zip(found, reasons, strict=True):
        assert reason in fault


def test_hours_that_are_too_long_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(checks, "parse_hours", read.append)
    # From the topic nothing is refused before: of blanks each would be looked at again and again.
    options = Options(hours=" " * 390_000)
    request = Subscribe(
        "https://shop.example/", Receiver(WEBHOOK), keywords=("*",), options=options
    )

    found = check(request, Rules(60))

    assert isinstance(found, Refusal)
    assert [each.field for each in found.faults] == ["hours"]
    assert read == []
