"""The waiting changes for the subscriptions of a view with the same patience."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.table_rows import Waiting, WaitingChange
from schemas.records.waiting import ChangesWaiting, DocumentVisited
from streams.agents.match.patience.memory import Patience
from streams.agents.match.patience.net_edits import NetEdits, Superseded
from streams.values.ids import content_id
from streams.values.steps import Steps

MAX_WAITING = 600_000
"""Bytes of waiting changes, in a row of a table. Changes without room are notified at once."""
MAX_SHOWN = 100
"""Characters of a sentence in a reason."""


def take_in(waiting: Waiting, change: DocumentChanged) -> tuple[Waiting, DocumentChanged | None]:
    """Compare a later change with the waiting changes: an undone change waits no longer.

    Also returns the waiting part of the change itself, None if there is none. A text changed again
    waits from its beginning, as a part of the first change. A change taken in before changes
    nothing.
    """
    waiting = of_watch(waiting, change.watch, change.at)
    if (change.slot, change.part) <= (waiting.slot, waiting.part):
        return waiting, None
    net = NetEdits()
    for number, known in enumerate((*(each.change for each in waiting.changes), change)):
        net.add(number, known.regions)
    left = [
        replace(each, change=replace(each.change, regions=net.of(number)))
        for number, each in enumerate(waiting.changes)
    ]
    after = replace(
        waiting,
        slot=change.slot,
        part=change.part,
        changes=tuple(each for each in left if each.change.regions),
    )
    regions = net.of(len(waiting.changes))
    # A number that did not stand is none that the next one is compared with.
    gone = {waiting.changes[each.edit.change].change.at for each in net.superseded}
    numbers = tuple(point for point in change.numbers if point.at not in gone)
    new = replace(change, regions=regions, numbers=numbers) if regions else None
    return _dropping(after, net.superseded, waiting, change.at), new


def with_change(
    waiting: Waiting, new: DocumentChanged
) -> tuple[Waiting, tuple[WaitingChange, ...]]:
    """Let a change wait; also returns those without room, the oldest first: they wait no longer."""
    changes = (*waiting.changes, WaitingChange(new, visits=1))
    sizes = [len(wire.encode(each.change)) for each in changes]
    first = 0
    while sum(sizes[first:]) > MAX_WAITING:
        first += 1
    return replace(waiting, changes=changes[first:]), changes[:first]


def after_visit(
    waiting: Waiting, visit: DocumentVisited, patience: Patience, times: int = 1
) -> tuple[Waiting, tuple[WaitingChange, ...]]:
    """Count a visit with the waiting changes.

    Also returns the changes standing now, which wait no longer. The visit may be the last of
    several (``times``).
    """
    waiting = of_watch(waiting, visit.watch, visit.at)
    if visit.slot <= waiting.visited or not waiting.changes:
        return waiting, ()
    counted = [
        replace(each, visits=each.visits + times * (each.change.slot < visit.slot))
        for each in waiting.changes
    ]
    begun = visit.at - patience.seconds * 1000
    standing = tuple(
        each for each in counted if each.change.at <= begun and each.visits >= patience.visits
    )
    left = tuple(each for each in counted if each not in standing)
    return replace(waiting, visited=visit.slot, changes=left), standing


def is_worth_a_row(before: Waiting, after: Waiting, patience: Patience) -> bool:
    """Return whether the result of a visit is written, not only remembered.

    Undecisive counts are written at powers of two: a crash may halve the count of a change's
    visits, and a page visited each second for a month does not write its row each time.
    """
    if [each.change for each in before.changes] != [each.change for each in after.changes]:
        return True
    counts = [each.visits for each in after.changes]
    return any(count <= patience.visits or count & (count - 1) == 0 for count in counts)


def of_watch(waiting: Waiting, watch: str, at: int) -> Waiting:
    """Return the waiting changes of a watch; those of an earlier watch of the page are dropped."""
    others = [each for each in waiting.changes if each.change.watch != watch]
    if not others:
        return waiting
    return replace(
        Waiting(),
        dropped=waiting.dropped
        + sum(len(region.edits) for each in others for region in each.change.regions),
        reason="the watch ended, and began again",
        dropped_at=at,
    )


def waiting_fact(
    waiting: Waiting, patience: Patience, visit: DocumentVisited | DocumentChanged
) -> ChangesWaiting:
    """State the waiting changes after a visit, or a change."""
    seconds, visits = patience
    return ChangesWaiting(
        id=waiting_id(visit.url, visit.view, patience),
        url=visit.url,
        watch=visit.watch,
        patience=seconds,
        patience_visits=visits,
        changes=len(waiting.changes),
        since=min((each.change.at for each in waiting.changes), default=0),
        dropped=waiting.dropped,
        reason=waiting.reason,
        dropped_at=waiting.dropped_at,
        at=visit.at,
        view=visit.view,
    )


def waiting_id(url: str, view: str, patience: Patience) -> str:
    """Return the id of the waiting changes in a view of a page for a patience."""
    return content_id("waiting", url, view, *patience)


def _dropping(
    after: Waiting, superseded: Sequence[Superseded], before: Waiting, at: int
) -> Waiting:
    """Count the dropped changes; added text says more than removed text."""
    if not superseded:
        return after
    edit, is_undone = min(superseded, key=lambda each: each.edit.after is None)
    visits, side = before.changes[edit.change].visits, edit.after or edit.before
    text = "" if side is None else side.text[:MAX_SHOWN]
    what = "went back" if is_undone else "changed again"
    return replace(
        after,
        dropped=after.dropped + len(superseded),
        reason=f"it {what} after {visits} visit{'s' * (visits != 1)}: {text}",
        dropped_at=at,
    )


class PastVisits(NamedTuple):
    """The assumed visits of a page: every ``interval`` s, until a time (epoch ms)."""

    interval: int
    end: int


def what_stood(
    changes: Sequence[DocumentChanged],
    patience: Patience,
    visits: PastVisits,
    concerns: Callable[[DocumentChanged], Steps[bool]],
) -> Steps[tuple[list[WaitingChange], Waiting]]:
    """Return the standing part of changes, and the part waiting at the end, by the code of match.

    ``changes`` are the oldest first; ``concerns`` decides about the subscription.
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
            first, then = parts[0], at + number * visits.interval * 1000
            slot = first.slot + number
            visit = DocumentVisited("", first.url, first.watch, slot, then, first.view)
            times = max(1, number - before)
            waiting, standing = after_visit(waiting, visit, patience, times)
            found, before = [*found, *standing], number
    return found, waiting


def _decisive(
    waiting: Waiting, patience: Patience, visits: PastVisits, at: int, until: int
) -> Iterator[int]:
    """Yield the decisive visits after a change, up to the next.

    0 is the visit of the change.
    """
    interval = visits.interval * 1000
    last = max(0, -(-(until - at) // interval) - 1)
    numbers = {0, last}
    for each in waiting.changes:
        missing = max(0, each.change.at + patience.seconds * 1000 - at)
        is_older = each.change.at < at
        numbers.add(max(-(-missing // interval), patience.visits - each.visits - is_older))
    yield from sorted(number for number in numbers if 0 <= number <= last)
