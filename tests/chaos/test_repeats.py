"""The summary of a run says why notifications came twice."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.chaos.repeats import Ending, Records, Repeat, repeats
from tests.fakes.notifications import NOTIFICATION
from tests.harness.hooks import Hook, Post
from tests.harness.load import Watcher
from tests.harness.pages import Page

ACCEPTED, AGAIN = 1_000.0, 1_060.0
KILLED = Ending(ACCEPTED + 2, "deliver-2", "was killed")


def log(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC).isoformat()} [info] posted notification=5eed"


def cause(*endings: Ending, posted: float | None = None, published: float | None = None) -> str:
    records = Records(endings)
    if posted is not None:
        records.read_log(log(posted))
    if published is not None:
        records.published["5eed"].append(published)
    return records.cause(Repeat("5eed", ACCEPTED, AGAIN))


def test_a_cause_is_how_far_the_first_post_was_and_what_ended_deliver_after_it() -> None:
    answered, published = ACCEPTED + 0.01, ACCEPTED + 0.02
    assert cause(KILLED) == "in flight; was killed 2 s later"
    assert cause(KILLED, posted=answered) == "answered, not published; was killed 2 s later"
    assert (
        cause(KILLED, posted=answered, published=published)
        == "published, not stored; was killed 2 s later"
    )


def test_what_the_second_post_left_says_nothing_of_the_first() -> None:
    assert cause(KILLED, posted=AGAIN + 0.01, published=AGAIN + 0.02).startswith("in flight")


@pytest.mark.parametrize(
    "other",
    [
        replace(KILLED, name="match"),
        replace(KILLED, at=ACCEPTED - 10),
        replace(KILLED, at=AGAIN + 10),
    ],
)
def test_an_end_of_another_agent_or_at_another_time_is_no_cause(other: Ending) -> None:
    assert cause(other) == "in flight; no worker ended"


def test_only_what_was_accepted_before_is_repeated() -> None:
    def post(status: int, at: float, name: str = NOTIFICATION.id) -> Post:
        return Post({"webhook-id": name}, b"", status, at)

    hook = Hook("", [post(500, 1.0), post(204, 2.0), post(204, 3.0, "other"), post(204, 9.0)])
    watcher = Watcher(Page("http://example.test/", ""), hook, "*")
    assert [*repeats([watcher])] == [Repeat(NOTIFICATION.id, 2.0, 9.0)]
