"""The ids that a record holds, by the names that they have in the logs."""

from dataclasses import replace

import pytest

from schemas.records.challenges import Challenge
from schemas.records.deliveries import Attempt, Delivered, Redeliver
from schemas.records.failures import DocumentFailing, DocumentUnreachable
from schemas.records.fetches import Due
from schemas.records.log_ids import repeatable, trail
from schemas.records.subscription_facts import Rejected
from schemas.records.table_rows import Scheduled
from schemas.records.watches import StateWatches, Watch
from tests.fakes.notifications import NOTIFICATION

WATCH = Watch("w", 60)


@pytest.mark.parametrize(
    ("record", "ids"),
    [
        (Due("u", "w", 1), {"watch": "w"}),
        (Scheduled("u", WATCH, 1), {"watch": "w"}),
        (Rejected("r", "m", 5, "", "u", WATCH, 1), {"request_id": "r", "watch": "w"}),
        (DocumentFailing("c", "u", "w", 1, "", "", 2), {"watch": "w", "change": "c"}),
        (DocumentUnreachable("c", "u", "w", 1, "", "", 2), {"watch": "w", "change": "c"}),
        (
            Delivered("n", "s", "m", "http://c/", 1, 200, 3),
            {"subscription": "s", "notification": "n"},
        ),
        (Attempt("n", 2), {"notification": "n"}),
        (Redeliver(NOTIFICATION), {"notification": "5eed"}),
        (StateWatches(0, 1), {}),
        (Challenge("m", "http://c/", 0), {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_record_tells_the_ids_that_it_has(record: object, ids: dict[str, str]) -> None:
    assert trail(record) == ids


def test_a_notification_tells_what_it_is_about() -> None:
    found = trail(replace(NOTIFICATION, watch="w"))
    about = {"change": "c4a2", "subscription": "50b5", "watch": "w"}
    assert found == {"notification": "5eed", **about}


def test_a_rejected_request_has_a_line_a_minute_for_each_manager_and_code() -> None:
    rejected = Rejected("r", "desk", 5, "", "u", WATCH, 1)
    same = [replace(rejected, request_id=str(n), url=str(n)) for n in range(3)]
    assert len({repeatable(each)["once_a_minute"] for each in [rejected, *same]}) == 1
    others = [replace(rejected, manager="sport"), replace(rejected, code=6)]
    assert len({repeatable(each)["once_a_minute"] for each in [rejected, *others]}) == 3
    assert repeatable(Due("u", "w", 1)) == {}
