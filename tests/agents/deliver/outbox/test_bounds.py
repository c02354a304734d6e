"""What is remembered of receivers is bounded, however many come and go."""

import pytest

from schemas.records.table_rows import FailingClient, Proof
from streams.agents.deliver.outbox.failures import DAY_MS, MOST_FAILURES, REMEMBERED_MS, Failures
from streams.agents.deliver.outbox.proofs import FORGOTTEN_AFTER_MS, Proofs
from streams.agents.deliver.outbox.recipients import Recipient

LIVES = 100_000
MINUTE_MS = 60_000


def recipient(number: int) -> Recipient:
    return Recipient("m", f"http://client.test/{number}")


@pytest.mark.slow  # two seconds of a core
def test_of_a_hundred_thousand_receivers_that_failed_once_few_records_stay() -> None:
    failures, rows = Failures(), set[Recipient]()
    for number in range(LIVES):
        failures.note(recipient(number), now=number)
        rows.add(recipient(number))
        forgotten = failures.forget(number)
        rows -= {forgotten}
    assert len(failures) == len(rows) == MOST_FAILURES
    now = LIVES + REMEMBERED_MS
    while (forgotten := failures.forget(now)) is not None:
        rows.remove(forgotten)
    assert len(failures) == len(rows) == 0


def test_the_failures_that_are_dropped_are_those_of_the_longest_ago_even_after_a_load() -> None:
    failures = Failures(most=2)
    failures.load((recipient(n), FailingClient(n, gone=False, last=n)) for n in (3, 1, 2))
    failures.note(recipient(1), now=4)
    assert failures.forget(5) == recipient(2)
    assert failures.forget(5) is None


@pytest.mark.slow  # two seconds of a core
def test_of_a_hundred_thousand_receivers_that_answered_once_those_of_four_weeks_stay() -> None:
    proofs, rows = Proofs(needed=True), set[Recipient]()
    for number in range(LIVES):
        now = DAY_MS + number * MINUTE_MS
        proofs.put(
            recipient(number), Proof(confirmed=now, since=now, made=0, put_off=0, due=0, reason="")
        )
        rows.add(recipient(number))
        rows -= {proofs.forget(now)}
    assert len(proofs) == len(rows) <= FORGOTTEN_AFTER_MS / MINUTE_MS + 1


def test_more_proofs_than_allowed_cost_the_oldest_which_is_asked_again() -> None:
    proofs = Proofs(needed=True, most=1000)
    for number in range(LIVES):
        proofs.put(
            recipient(number),
            Proof(confirmed=number + 1, since=0, made=0, put_off=0, due=0, reason=""),
        )
        proofs.forget(number)
    assert len(proofs) == 1000
    assert proofs.lacks(recipient(0))
    assert not proofs.lacks(recipient(LIVES - 1))


def test_a_proof_that_is_being_renewed_is_not_forgotten_and_holds_up_no_other() -> None:
    proofs = Proofs(needed=True)
    old = Proof(confirmed=1, since=0, made=0, put_off=0, due=0, reason="")
    proofs.load([(recipient(0), old), (recipient(1), old)])
    now = 2 + FORGOTTEN_AFTER_MS
    proofs.put(
        recipient(0), Proof(confirmed=1, since=now, made=1, put_off=0, due=now + 1, reason="")
    )
    assert [proofs.forget(now) for _ in range(3)] == [None, recipient(1), None]
    assert not proofs.lacks(recipient(0))
