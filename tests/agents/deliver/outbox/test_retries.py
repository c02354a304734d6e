"""When an attempt follows, and when a receiver is gone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import WebhookResponse
from schemas.records.table_rows import FailingClient
from streams.agents.deliver.outbox.failures import (
    DAY_MS,
    MAX_GAP_MS,
    SLOW_DOWN_MS,
    failing_client,
    retry_delay,
    why_gone,
)
from streams.values.retry_schedule import RETRY_SCHEDULE

REFUSED = WebhookResponse(500, "answered 500")
HOUR = 3600


def test_the_schedule_is_that_of_standard_webhooks() -> None:
    hours = (2, 5, 10, 14, 20, 24)
    assert (0, 5, 5 * 60, 30 * 60, *(hour * HOUR for hour in hours)) == RETRY_SCHEDULE


@given(st.text(), st.integers(1, len(RETRY_SCHEDULE) - 1))
def test_each_pause_is_the_schedules_give_or_take_a_fifth_and_always_the_same(
    name: str, made: int
) -> None:
    wait = retry_delay(RETRY_SCHEDULE, name, made, REFUSED)
    assert wait == retry_delay(RETRY_SCHEDULE, name, made, REFUSED)
    assert wait is not None
    assert 0.8 <= wait / (RETRY_SCHEDULE[made] * 1000) <= 1.2


def test_pauses_differ_so_that_receivers_are_not_all_notified_at_once() -> None:
    waits = [retry_delay(RETRY_SCHEDULE, f"n{number}", 4, REFUSED) or 0 for number in range(1000)]
    thousandths = [wait / RETRY_SCHEDULE[4] for wait in waits]
    assert min(thousandths) < 810
    assert max(thousandths) > 1190


def test_after_the_last_attempt_there_is_none() -> None:
    assert retry_delay(RETRY_SCHEDULE, "n", len(RETRY_SCHEDULE), REFUSED) is None
    assert retry_delay((0,), "n", 1, REFUSED) is None


@pytest.mark.parametrize(
    ("asked", "least", "most"), [(0, 240, 360), (400, 400, 400), (450, 450, 450), (3000, 600, 600)]
)
def test_retry_after_is_waited_for_up_to_twice_the_pause(asked: int, least: int, most: int) -> None:
    wait = retry_delay(RETRY_SCHEDULE, "n", 2, WebhookResponse(503, "answered 503", asked))
    assert wait is not None
    assert least * 1000 <= wait <= most * 1000


@given(st.integers(1, len(RETRY_SCHEDULE) - 1), st.none() | st.integers(0, 24 * HOUR))
def test_after_429_a_minute_passes_at_least(made: int, asked: int | None) -> None:
    wait = retry_delay(RETRY_SCHEDULE, "n", made, WebhookResponse(429, "answered 429", asked))
    assert wait is not None
    assert wait >= SLOW_DOWN_MS


def test_a_receiver_is_gone_after_five_days_of_failures() -> None:
    assert why_gone(REFUSED, 7, 7 + 5 * DAY_MS - 1) is None
    assert (
        why_gone(REFUSED, 7, 7 + 5 * DAY_MS)
        == "its receiver has only failed for 5 days: answered 500"
    )


def lasted(*failures: int, known: FailingClient | None = None) -> int:
    """For how long (ms) a receiver has only failed, by when it did."""
    for now in failures:
        known = failing_client(known, now)
    assert known is not None
    assert known.last == failures[-1]
    return known.last - known.since


@given(st.lists(st.integers(0, MAX_GAP_MS), min_size=1))
def test_a_receiver_that_is_tried_now_and_then_counts_as_failing_all_the_time(
    pauses: list[int],
) -> None:
    times = [DAY_MS + sum(pauses[:number]) for number in range(len(pauses) + 1)]
    assert lasted(*times) == sum(pauses)


def test_a_receiver_that_nobody_tried_does_not_count_as_failing_meanwhile() -> None:
    assert lasted(DAY_MS, 2 * DAY_MS, 90 * DAY_MS, 91 * DAY_MS) == DAY_MS + MAX_GAP_MS + DAY_MS


def test_a_clock_that_is_put_forward_or_back_does_not_turn_a_failure_into_five_days() -> None:
    years = 3650 * DAY_MS
    assert lasted(years, years + 1, years + DAY_MS, DAY_MS, 2 * DAY_MS) == 2 * DAY_MS
    assert lasted(DAY_MS, years, 2 * DAY_MS, 3 * DAY_MS) < 3 * DAY_MS
