"""The summary of a run says why workers ended by themselves."""

import pytest

from tests.chaos.endings import UNKNOWN, reason_of

READY = "2026-11-22T16:11:43.914532Z [info     ] ready      group=match partitions=[0] agent=match"
PUT_OUT = "the group has put this worker out, and given its partitions to others"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            f"2026-11-22T16:11:02Z [critical ] ending this process    reason='{PUT_OUT}' agent=x",
            PUT_OUT,
        ),
        (
            "Error: no Kafka broker answers at 127.0.0.1:9092 (refused).\n  Is it running?",
            "no Kafka broker answers at …",
        ),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "KeyError: 'a'"),
        ("Error: created again: test-6419ec4b.fetches", "created again: fetches"),
        (READY, UNKNOWN),
        (f"Error: an earlier one.\n{READY}\nError: the last one.", "the last one."),
    ],
)
def test_the_last_reason_in_a_log_is_found(said: str, reason: str) -> None:
    assert reason_of(f"{READY}\n{said}\n") == reason
