"""What of kept changes stood: visits that found nothing new are not kept, so they are assumed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from schemas.records.changes import DocumentChanged
from schemas.records.table_rows import Waiting, WaitingChange
from schemas.records.waiting import DocumentVisited
from streams.agents.match.patience.lengths import Patience
from streams.agents.match.patience.waiting import after_visit, take_in, with_change
from streams.values.steps import Steps


class PastVisits(NamedTuple):
    """How a page is assumed to have been visited: every ``interval`` s, until a time (epoch ms)."""

    interval: int
    end: int


def what_stood(
    changes: Sequence[DocumentChanged],
    patience: Patience,
    visits: PastVisits,
    concerns: Callable[[DocumentChanged], Steps[bool]],
) -> Steps[tuple[list[WaitingChange], Waiting]]:
    """Return what of changes stood, and what waits at the end, by the code of match.

    ``changes`` are the oldest first; ``concerns`` says whether one concerns the subscription.
    """
    waiting, found = Waiting(), list[WaitingChange]()
    several = [(at, list(parts)) for at, parts in groupby(changes, key=lambda each: each.at)]
    for (at, parts), (until, _) in pairwise([*several, (visits.end, [])]):
        for part in parts:
            waiting, new = take_in(waiting, part)
            if new is not None and (yield from concerns(new)):
                waiting, without_room = with_change(waiting, new)
                found += without_room
            yield
        before = 0
        for number in _decisive(waiting, patience, visits, at, until):
            visit = _visit(parts[0], number, at + number * visits.interval * 1000)
            times = max(1, number - before)
            waiting, standing = after_visit(waiting, visit, patience, times)
            found, before = [*found, *standing], number
    return found, waiting


def _decisive(
    waiting: Waiting, patience: Patience, visits: PastVisits, at: int, until: int
) -> Iterator[int]:
    """Yield the visits after a change, up to the next one, of which something may depend.

    0 is the one that found the change.
    """
    interval = visits.interval * 1000
    last = max(0, -(-(until - at) // interval) - 1)
    numbers = {0, last}
    for each in waiting.changes:
        missing = max(0, each.change.at + patience.seconds * 1000 - at)
        is_older = each.change.at < at
        numbers.add(max(-(-missing // interval), patience.visits - each.visits - is_older))
    yield from sorted(number for number in numbers if 0 <= number <= last)


def _visit(change: DocumentChanged, number: int, at: int) -> DocumentVisited:
    slot = change.slot + number
    return DocumentVisited("", change.url, change.watch, slot, at, change.view)
