"""Whether a change is for a subscription depends on when it was seen, not on when it is read."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.subscriptions import Options, PausedTime, Receiver, Subscription
from streams.values.lifetimes import (
    MAX_PAUSES,
    REMEMBERED_MS,
    counts,
    ended,
    paused,
    resumed,
)

BEGUN = Subscription("s", "w", "m", "u", "u", Receiver(), (), Options(), created=100)
LATER = 10**9
steps = st.lists(st.tuples(st.sampled_from(["pause", "resume", "end"]), st.integers(0, 40)))
"""Requests, each with the time since the one before."""
seen = st.integers(50, 2_000)


def lived(requests: list[tuple[str, int]]) -> tuple[Subscription, list[tuple[int, str]]]:
    """Return a subscription after requests, and what was asked when, until its end."""
    subscription, now = BEGUN, BEGUN.created
    known = [(now, "resume")]
    for what, after in requests:
        now += after
        known.append((now, what))
        match what:
            case "pause":
                subscription = paused(subscription, now)
            case "resume":
                subscription = resumed(subscription, now)
            case _:
                return ended(subscription, now), known
    return subscription, known


@given(steps, seen)
def test_it_counts_as_it_was_when_the_page_was_seen(
    requests: list[tuple[str, int]], at: int
) -> None:
    subscription, known = lived(requests[:MAX_PAUSES])
    last = [what for time, what in known if time <= at]
    assert counts(subscription, at) == (bool(last) and last[-1] == "resume")


@given(steps, steps, seen)
def test_later_requests_change_nothing_for_what_was_seen_before(
    requests: list[tuple[str, int]], later: list[tuple[str, int]], at: int
) -> None:
    before, known = lived(requests[: MAX_PAUSES // 2])
    if before.ended or known[-1][0] <= at:
        return
    after, _ = lived(requests[: MAX_PAUSES // 2] + later[: MAX_PAUSES // 2])
    assert counts(after, at) == counts(before, at)


@given(steps)
def test_pauses_are_bounded_and_the_present_one_is_never_forgotten(
    requests: list[tuple[str, int]],
) -> None:
    subscription, known = lived(requests * 10)
    assert len(subscription.pauses) <= MAX_PAUSES
    assert [each.until for each in subscription.pauses[:-1]].count(0) == 0
    assert counts(subscription, LATER) == (known[-1][1] != "end" and not subscription.paused)


def test_a_pause_of_long_ago_is_forgotten_with_the_next_one() -> None:
    subscription = resumed(paused(BEGUN, 200), 300)
    assert len(paused(subscription, 300 + REMEMBERED_MS - 1).pauses) == 2
    assert len(paused(subscription, 300 + REMEMBERED_MS).pauses) == 1


def test_one_that_was_paused_before_pauses_were_noted_was_paused_until_it_is_resumed() -> None:
    subscription = replace(BEGUN, paused=True)
    assert not counts(subscription, 150)
    after = resumed(subscription, 200)
    assert [counts(after, at) for at in (150, 199, 200)] == [False, False, True]


def test_a_resume_that_was_asked_for_before_its_pause_leaves_no_pause() -> None:
    after = resumed(paused(BEGUN, 300), 200)
    assert after.pauses == (PausedTime(300, 300),)
    assert counts(after, 300)


def test_it_begins_when_it_was_asked_for_though_it_was_created_later() -> None:
    one = replace(BEGUN, created=500, asked=100)
    assert [counts(one, at) for at in (99, 100, 500)] == [False, True, True]
