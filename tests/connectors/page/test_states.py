"""What people are shown of a state: of several at once, the one that matters most."""

from typing import Any

import pytest

from connectors.page.states import shown_state

HEALTHY: dict[str, Any] = {
    "state": "active",
    "documentUrl": "https://example.org/",
    "reason": None,
    "failures": 0,
    "maxFailures": None,
    "lastError": None,
    "lastCheck": "2026-11-22T10:00:00.000Z",
    "waitingFor": None,
    "flapping": False,
    "missing": None,
    "lostSince": None,
}
LOST = {"missing": "no part", "lostSince": "2026-11-22T10:00:00.000Z"}


@pytest.mark.parametrize(
    ("fields", "label", "tone", "detail"),
    [
        ({}, "OK", "good", ""),
        (
            {"documentUrl": "pages:*", "lastCheck": None},
            "OK",
            "good",
            "It hears of what your other watches find.",
        ),
        ({"lastCheck": None}, "Not yet fetched", "quiet", "The first fetch is the baseline."),
        ({"flapping": True}, "Flapping", "warning", "It goes back and forth between texts."),
        ({"waitingFor": "its host", "flapping": True}, "Waiting", "warning", "its host"),
        ({"missing": "no part", "flapping": True}, "Not found", "warning", "no part"),
        (LOST, "Lost", "bad", "Since 2026-11-22 10:00 UTC: no part"),
        ({"failures": 3, "lastError": "HTTP 503"}, "Failing 3 of 10", "bad", "HTTP 503"),
        ({"failures": 3, "maxFailures": 5}, "Failing 3 of 5", "bad", ""),
        ({"failures": 3, "maxFailures": "never"}, "Failing 3", "bad", ""),
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
    shown = shown_state(HEALTHY | fields, max_failures=10)
    assert (shown.label, shown.tone, shown.detail) == (label, tone, detail)
