"""Backtest for a subscription with patience: what stood is matched, the newest first."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schemas.records.changes import DocumentChanged
from schemas.records.waiting import Stood
from streams.agents.history.backtest_tally import Tally
from streams.agents.match.patience.memory import Patience, patience_of
from streams.agents.match.patience.waiting import PastVisits, what_stood
from streams.matching.notifications import matcher_of
from streams.values.steps import Steps


class Past(NamedTuple):
    """Changes, the newest first, up to the time ``end`` (epoch ms).

    Those from ``after`` on, a time and an id, were listed before.
    """

    changes: Sequence[DocumentChanged]
    end: int
    after: tuple[int, str] | None


def steps_of(tally: Tally, past: Past) -> Iterator[int | None]:
    """Look at the past in steps; yields 0 at the end."""
    subscription = tally.subscription
    patience = patience_of(subscription.options) or Patience()
    visits = PastVisits(subscription.options.interval, past.end)

    def concerns(change: DocumentChanged) -> Steps[bool]:
        found = yield from matcher_of(change).concerning(subscription)
        return bool(found)

    oldest_first = past.changes[::-1]
    found, waiting = yield from what_stood(oldest_first, patience, visits, concerns)
    tally.dropped, tally.waiting = waiting.dropped, len(waiting.changes)
    for each in sorted(found, key=lambda each: (each.change.at, each.change.id), reverse=True):
        if past.after is None or (each.change.at, each.change.id) < past.after:
            yield from tally.look(each.change, Stood(each.change.at, each.visits))
    tally.changes = len(past.changes)
    yield 0
