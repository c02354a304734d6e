"""Backtest: read the kept history of a page, and match it with a subscription that nobody has."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from schemas.codec.backtests import PastNotifications
from schemas.records.changes import Change, DocumentChanged
from schemas.records.history import ChangeHistory
from schemas.records.subscriptions import Subscription
from streams.agents.history.backtest_tally import LISTED, ListingSize, Tally
from streams.agents.match.patience.memory import patience_of

PAGE = 200
"""Changes that are read at a time, so that nobody waits long for the store."""
MAX_KEPT = 50_000_000
"""Characters of changes that are in memory together, to find out what stood."""
SLICE_S = 0.02
"""CPU seconds of work without a pause for others."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """Changes and CPU seconds that one call may take."""

    changes: int = 10_000
    cpu_s: float = 5.0


@dataclass(frozen=True, slots=True)
class BacktestQuery:
    """The changes to look at: from ``since`` (epoch ms) on, those before the cursor ``after``.

    ``listed`` notifications are returned at most, as far as ``listing`` allows.
    """

    since: int = 0
    after: str | None = None
    listed: int = 100
    limits: WorkLimits = WorkLimits()
    listing: ListingSize = LISTED


@dataclass(frozen=True, slots=True)
class BacktestEffects:
    """Effects of a backtest.

    ``read`` reads a page of a view's changes, ``FactReader.history`` of a store, and ``cursor``
    returns the cursor after a time and an id, ``place`` those of a cursor. ``compute`` runs
    work in a thread, ``cpu`` returns the CPU seconds of that. ``language`` is that of match;
    ``oldest`` returns the time (epoch ms) before which changes are deleted, ``now`` the present
    one.
    """

    read: Callable[[str, str, str, int, str | None, int], Awaitable[ChangeHistory | None]]
    cursor: Callable[[int, str], str]
    place: Callable[[str], tuple[int, str]]
    compute: Callable[[Callable[[], "SliceEnd"]], Awaitable["SliceEnd"]]
    cpu: Callable[[], float]
    language: Callable[[str], str]
    oldest: Callable[[], int]
    now: Callable[[], int]


@dataclass(frozen=True, slots=True)
class SliceEnd:
    """A slice of work took so many CPU seconds; ``seen`` changes, None within one."""

    seconds: float
    seen: int | None


@dataclass(frozen=True, slots=True)
class Backtest:
    """The result: ``history`` is that of the last page that was read, None if there is none.

    ``since`` is the time (epoch ms) from which on all changes were looked at; ``stopped`` says
    at which limit, empty if at none. ``next`` is the cursor of what is not listed or looked at.
    """

    tally: Tally
    since: int
    history: ChangeHistory | None = None
    stopped: str = ""
    next: str | None = None


async def backtest(
    effects: BacktestEffects, subscription: Subscription, query: BacktestQuery
) -> Backtest:
    """Match the kept changes of a page with what a subscription wants, the newest first.

    Raises ValueError for a cursor that no call returned.
    """
    tally = Tally(subscription, query.listed, query.listing)
    found = Backtest(tally, max(query.since, effects.oldest()))
    if patience_of(subscription.options) is not None:
        return await _backtest_patiently(effects, found, query)
    left, rows, after = query.limits.cpu_s, query.limits.changes, query.after
    while not found.stopped:
        history = await _read(effects, subscription, found.since, after, min(PAGE, rows))
        if history is None:
            return found
        found = replace(found, history=history)
        seen, left = await _look(effects, found.tally, history.changes, left)
        rows, after = rows - seen, history.next
        is_whole = seen == len(history.changes)
        if not is_whole or (after is not None and (left <= 0 or not rows)):
            last = history.changes[seen - 1]
            stopped = "changes" if is_whole and not rows else "time"
            after = effects.cursor(last.at, last.id)
            found = replace(found, since=last.at, stopped=stopped)
        elif after is None:
            break
    if found.tally.next_listed is not None:
        after = effects.cursor(*found.tally.next_listed)
    return replace(found, next=after)


async def _backtest_patiently(
    effects: BacktestEffects, found: Backtest, query: BacktestQuery
) -> Backtest:
    """Find out what stood, the oldest change first, and match that, the newest first.

    Each call reads from the newest change on: whether one stood, later ones say.
    """
    # Only the thread that matches needs it.
    from streams.agents.history.backtest_patience import Past, steps_of  # noqa: PLC0415

    begin = effects.place(query.after) if query.after else None
    found, changes = await _read_all(effects, found, query.limits.changes)
    if found.history is None:
        return found
    end = effects.now() if found.history.end is None else found.history.end
    steps, left = steps_of(found.tally, Past(changes, end, begin)), 0.0
    seen: int | None = None
    while seen is None and left < query.limits.cpu_s:
        run = partial(_run_slice, steps, query.limits.cpu_s - left, effects.cpu)
        slice_end = await effects.compute(run)
        left, seen = left + slice_end.seconds, slice_end.seen
    last = found.tally.next_listed
    after = None if last is None else effects.cursor(*last)
    return replace(found, next=after, stopped=found.stopped if seen is not None else "time")


async def _read_all(
    effects: BacktestEffects, found: Backtest, rows: int
) -> tuple[Backtest, list[DocumentChanged]]:
    """Read so many changes, the newest first, as far as there is memory for them."""
    changes: list[DocumentChanged] = []
    after, size = None, 0
    while rows and size < MAX_KEPT:
        history = await _read(
            effects, found.tally.subscription, found.since, after, min(PAGE, rows)
        )
        if history is None:
            return found, changes
        found, after = replace(found, history=history), history.next
        rows -= len(history.changes)
        for change in history.changes:
            if isinstance(change, DocumentChanged):
                sides = (side for each in change.regions for side in (each.removed, each.added))
                size += sum(len(side.text) for side in sides if side is not None)
                changes.append(change)
        if after is None:
            return found, changes
    return replace(found, since=changes[-1].at if changes else found.since, stopped="changes"), (
        changes
    )


async def _read(
    effects: BacktestEffects, wanted: Subscription, since: int, after: str | None, limit: int
) -> ChangeHistory | None:
    where = wanted.manager, wanted.url, wanted.view_id
    history = await effects.read(*where, since, after, limit)
    if history is None:
        return None
    changes = (
        replace(each, language=effects.language(each.language))
        if isinstance(each, DocumentChanged)
        else each
        for each in history.changes
    )
    return replace(history, changes=tuple(changes))


async def _look(
    effects: BacktestEffects, tally: Tally, changes: tuple[Change, ...], left: float
) -> tuple[int, float]:
    """Look at changes while CPU seconds are left; returns how many, and the seconds left."""
    if not changes:
        return 0, left
    steps = _steps(tally, changes)
    while True:
        end = await effects.compute(partial(_run_slice, steps, left, effects.cpu))
        left -= end.seconds
        if end.seen is not None and (left <= 0 or end.seen == len(changes)):
            return end.seen, left


def _steps(tally: Tally, changes: Iterable[Change]) -> Iterator[int | None]:
    """Look at changes in steps; yields how many are done, None within one."""
    for done, change in enumerate(changes, 1):
        if isinstance(change, DocumentChanged):
            for _ in tally.look(change):
                yield None
        yield done


def _run_slice(steps: Iterator[int | None], left: float, cpu: Callable[[], float]) -> SliceEnd:
    begun, seen = cpu(), None
    for seen in steps:
        seconds = cpu() - begun
        if seconds >= SLICE_S or (seen is not None and seconds >= left):
            return SliceEnd(seconds, seen)
    return SliceEnd(cpu() - begun, seen)


def past_notifications(found: Backtest) -> PastNotifications:
    """Return what a backtest found, as it is listed."""
    tally, history = found.tally, found.history
    return PastNotifications(
        since=None if history is None else max(found.since, history.begin),
        until=None if history is None else history.end,
        changes=tally.changes,
        without_texts=tally.without_texts,
        dropped=tally.dropped,
        waiting=tally.waiting,
        held=tally.held,
        total=tally.notifications,
        keywords=tally.keywords,
        listed=tuple(tally.listed),
        stopped=found.stopped,
        next=found.next,
    )
