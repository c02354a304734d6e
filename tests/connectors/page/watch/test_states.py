"""What people are shown of a state: of several at once, the one that matters most."""

from dataclasses import replace
from typing import Any

import pytest

from connectors.page.watch.states import shown_state
from connectors.stores.pages import ListedSubscription
from schemas.codec.times import epoch_ms
from schemas.records.subscriptions import Options, Subscription
from tests.fakes.subscriptions import subscription

NOW = epoch_ms("2026-11-22T12:00:00Z")
SINCE = epoch_ms("2026-11-22T10:00:00Z")
HEALTHY = ListedSubscription(subscription(), "active", None, None, 60, SINCE, 0, None)
PAGES = subscription(document_url="pages:*", url="pages:*")
LOST = {"missing": "no part", "lost_since": SINCE}


def failing_at_most(most: int) -> Subscription:
    return subscription(options=Options(max_failures=most))


@pytest.mark.parametrize(
    ("fields", "label", "tone", "detail"),
    [
        ({}, "OK", "good", ""),
        (
            {"subscription": PAGES, "last_check": None},
            "OK",
            "good",
            "It hears of what your other watches find.",
        ),
        (
            {"last_check": None},
            "Not yet fetched",
            "quiet",
            "Later fetches are compared with the first.",
        ),
        ({"flapping_until": NOW}, "OK", "good", ""),
        (
            {"flapping_until": NOW + 1},
            "Flapping",
            "warning",
            "It goes back and forth between texts.",
        ),
        ({"waiting_for": "its host", "flapping_until": NOW + 1}, "Waiting", "warning", "its host"),
        ({"missing": "no part", "flapping_until": NOW + 1}, "Not found", "warning", "no part"),
        (LOST, "Lost", "bad", "Since 2026-11-22 10:00 UTC: no part"),
        ({"failures": 3, "last_error": "HTTP 503"}, "Failing 3 of 10", "bad", "HTTP 503"),
        ({"failures": 3, "subscription": failing_at_most(5)}, "Failing 3 of 5", "bad", ""),
        ({"failures": 3, "subscription": failing_at_most(0)}, "Failing 3", "bad", ""),
        ({"failures": 3, "missing": "no part"}, "Failing 3 of 10", "bad", ""),
        (
            {"state": "paused", "failures": 3},
            "Paused",
            "quiet",
            "No notifications until it is resumed.",
        ),
        ({"state": "cancelled", "failures": 3}, "Cancelled", "quiet", ""),
        ({"state": "expired", "reason": "its lease"}, "Expired", "bad", "its lease"),
    ],
)
def test_a_state_is_shown(fields: dict[str, Any], label: str, tone: str, detail: str) -> None:
    shown = shown_state(replace(HEALTHY, **fields), max_failures=10, now=NOW)
    assert (shown.label, shown.tone, shown.detail) == (label, tone, detail)
