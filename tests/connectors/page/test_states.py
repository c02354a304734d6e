"""A state as people are shown it."""

from typing import Any

import pytest

from connectors.page.states import shown_state

WELL: dict[str, Any] = {
    "state": "active",
    "failures": 0,
    "lastError": None,
    "maxFailures": None,
    "missing": None,
    "lostSince": None,
    "waitingFor": None,
    "lastCheck": "2026-11-22T10:00:00.000Z",
    "flapping": False,
}


@pytest.mark.parametrize(
    ("item", "label", "detail"),
    [
        ({}, "OK", ""),
        ({"failures": 2, "lastError": "HTTP 404"}, "Failing 2 of 10", "HTTP 404"),
        ({"missing": "nothing matches"}, "Not found", "nothing matches"),
        (
            {"missing": "nothing matches", "lostSince": "2026-11-22T09:00:00.000Z"},
            "Lost",
            "Since 2026-11-22T09:00:00.000Z: nothing matches",
        ),
    ],
)
def test_what_is_lost_is_not_what_fails(item: dict[str, Any], label: str, detail: str) -> None:
    shown = shown_state(WELL | item, 10)
    assert (shown.label, shown.detail) == (label, detail)
