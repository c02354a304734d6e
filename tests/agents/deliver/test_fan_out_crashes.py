"""What a crash repeats of changes that many subscriptions are notified of."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentFailing
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.memory import DAY
from streams.agents.match.register.registrations import NOTIFIED
from streams.agents.match.register.requests import Rules
from streams.engine.acks.runner import TakenEvent
from streams.engine.runners.long_outcomes import LongOutcomes
from streams.values.outcome import Event, Outcome
from tests.fakes.events import event
from tests.fakes.regions import added

NOTED = 5
URLS = "http://x.test/", "http://y.test/"
Rows = dict[bytes, bytes]
Sent = Counter[tuple[str, str]]


@pytest.fixture(autouse=True)
def noted_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.agents.match.notifying.NOTED", NOTED)


def agent(rows: Rows) -> MatchProcessor:
    found = MatchProcessor(partition_of=lambda url: 0, rules=Rules(60))
    found.begin(0)
    for key, value in rows.items():
        found.load(0, key, value)
    return found


def write(outcome: Outcome, rows: Rows, sent: Sent) -> None:
    for send in outcome.sends:
        if isinstance(send.record, Notification):
            sent[send.record.change, str(send.key)] += 1
    for put in outcome.puts:
        rows.pop(put.key, None)
        if put.record is not None:
            rows[put.key] = wire.encode(put.record)


def subscribed(counts: tuple[int, ...]) -> tuple[Rows, list[str]]:
    """Return the rows of so many subscriptions of each URL, and the ids of the watches."""
    rows: Rows = {}
    register, watches = agent({}), []
    for url, count in zip(URLS, counts, strict=True):
        for number in range(count):
            options = Options(interval=60, notify_failures=True)
            receiver = Receiver(f"http://{number}.test/")
            request = Subscribe(url, receiver, "1", keywords=("zeus",), options=options)
            outcome = register.decide(event(request, timestamp=number))
            write(outcome, rows, Counter())
        (first,) = outcome.sends
        assert isinstance(first.record, Subscribed)
        assert first.record.watch is not None
        watches.append(first.record.watch.id)
    return rows, watches


def change(number: int, url: str, watch: str, is_failure: bool = False) -> Event:
    name = f"change {number}"
    regions = (added("zeus"),)
    fact: Any = DocumentChanged(name, url, watch, number, 0, "text/html", "und", regions, 1_000)
    if is_failure:
        fact = DocumentFailing(name, url, watch, number, "", "HTTP 500", 1_000)
    return event(fact, topic="changes", offset=number)


def run(log: list[Event], rows: Rows, parts: int | None = None) -> tuple[list[Event], Sent]:
    """Handle a log until a crash after so many parts.

    Returns the part of the log that is read again, and how often each change notified each
    client.
    """
    found, lines, sent, done = agent(rows), LongOutcomes(), Sent(), set()
    for each in log:
        outcome = found.decide(each)
        assert outcome.rest is not None
        lines.add(outcome.line, TakenEvent(each, Mock()), outcome.rest)
    decided = (each for _ in iter(lines.__bool__, False) for each in lines.decide(lambda: True))
    for work, part in islice(decided, parts):
        assert isinstance(work, TakenEvent)
        if part is None:
            done.add(work.event.offset)
        else:
            write(part, rows, sent)
    left = [place for place, each in enumerate(log) if each.offset not in done]
    return log[left[0] :] if left else [], sent


def of_change(sent: Sent) -> Counter[str]:
    counted: Counter[str] = Counter()
    for (name, _), times in sent.items():
        counted[name] += times
    return counted


@pytest.mark.long
@given(
    st.tuples(st.integers(1, 30), st.integers(1, 30)),
    st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=1, max_size=8),
    st.lists(st.integers(0, 150), max_size=4),
)
def test_a_crash_repeats_of_each_change_only_what_came_after_its_last_row(
    counts: tuple[int, int], changes: list[tuple[int, bool]], crashes: list[int]
) -> None:
    rows, watches = subscribed(counts)
    log = [change(n, URLS[u], watches[u], failing) for n, (u, failing) in enumerate(changes)]
    all_sent = Sent()
    for parts in crashes:
        log, sent = run(log, rows, parts)
        again = of_change(sent & all_sent)
        assert all(times <= NOTED for times in again.values()), again
        all_sent |= sent
    _, sent = run(log, rows)
    assert all(times <= NOTED for times in of_change(sent & all_sent).values())
    all_sent |= sent
    expected = {
        (f"change {n}", f"http://{client}.test/")
        for n, (url, _) in enumerate(changes)
        for client in range(counts[url])
    }
    assert set(all_sent) == expected


def test_a_change_that_was_given_up_and_is_published_again_is_matched() -> None:
    rows, (watch, _) = subscribed((12, 1))
    _, sent = run([change(1, URLS[0], watch)], rows, parts=8)
    assert 0 < len(sent) < 12
    run([change(2, URLS[0], watch)], rows)
    _, again = run([replace(change(1, URLS[0], watch), offset=3)], rows)
    assert len(sent | again) == 12


def test_many_changes_leave_one_small_row_which_goes_with_the_last_subscription(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.agents.match.notifying.NOTED", 1)
    rows, (watch, _) = subscribed((1, 1))
    for start in range(0, 1000, 100):
        run([change(start + n, URLS[0], watch) for n in range(100)], rows)
    (noted,) = (value for key, value in rows.items() if key.startswith(NOTIFIED))
    assert len(noted) < 5000
    register = agent(rows)
    for at, url in ((1_000_000, URLS[0]), (1_000_000 + DAY + 1, URLS[1])):
        request = Cancel(url, Receiver("http://0.test/"), "2")
        write(register.decide(event(request, timestamp=at)), rows, Sent())
    assert not any(key.startswith(NOTIFIED) for key in rows)
    assert not register._memories[0]._notified
