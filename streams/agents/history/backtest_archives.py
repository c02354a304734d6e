"""Notifications that archived captures of a page would have caused for a subscription."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from schemas.records.captures import Capture
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document
from schemas.records.history import ChangeHistory
from schemas.records.subscriptions import Subscription
from streams.agents.fetch.due_view import DueView
from streams.agents.history.backtest import Backtest
from streams.agents.history.backtest_tally import Tally
from streams.agents.history.reprocess_reading import changes_to
from streams.values.steps import completed
from streams.values.views import watched_view

MAX_CAPTURES = 10_000
"""Captures of a page that one backtest reads."""
MAX_SCAN_S = 600.0
"""CPU seconds in which they are sought."""
MAX_SKIPPED = 5
"""Captures that are listed as not read."""
WATCH = "archive"


@dataclass(frozen=True, slots=True)
class ArchiveEffects:
    """Functions that read archives, in processes that may be killed.

    ``scan`` finds the captures of a URL in a part of a file, from an offset on, and returns where
    the next part begins, and the CPU seconds. ``examine`` reads a capture as a visit reads a page,
    and returns the state after it. Both raise one of ``failures`` for what cannot be read.
    """

    scan: Callable[[str, int, str], Awaitable[tuple[Sequence[Capture], int | None, float]]]
    examine: Callable[[Capture, Document | None, DueView], Awaitable[Document]]
    failures: tuple[type[Exception], ...]
    language: Callable[[str], str]


@dataclass(slots=True)
class ArchivedHistory:
    """The captures that were found, why some were skipped, and the changes between the others.

    ``stopped`` says at which limit the search ended, empty if at none.
    """

    captures: list[Capture] = field(default_factory=list)
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)
    changes: list[DocumentChanged] = field(default_factory=list)
    stopped: str = ""


async def archived_history(
    effects: ArchiveEffects, subscription: Subscription, files: Sequence[str]
) -> ArchivedHistory:
    """Compute the changes between the captures of a page in some files, in order of time.

    Raises one of the effects' failures for a file that is no archive.
    """
    found, seconds = ArchivedHistory(), 0.0
    for file in files:
        offset: int | None = 0
        while offset is not None and not found.stopped:
            captures, offset, took = await effects.scan(file, offset, subscription.url)
            found.captures += captures
            seconds += took
            if len(found.captures) >= MAX_CAPTURES:
                found.stopped = "captures"
            elif seconds > MAX_SCAN_S:
                found.stopped = "archives"
    found.captures = sorted(found.captures[:MAX_CAPTURES], key=lambda each: each.at)
    await _examine(effects, subscription, found)
    return found


async def _examine(
    effects: ArchiveEffects, subscription: Subscription, found: ArchivedHistory
) -> None:
    watched = watched_view(subscription.options, subscription.manager)
    watched = replace(watched, documents=subscription.options.scope == "document")
    before = None
    for capture in found.captures:
        due = DueView(subscription.url, WATCH, capture.at, watched)
        try:
            after = await effects.examine(capture, before, due)
        except effects.failures as error:
            found.skipped += 1
            if len(found.reasons) < MAX_SKIPPED:
                found.reasons.append(str(error))
            continue
        found.changes += (
            replace(each, language=effects.language(each.language)) for each in changes_to(after)
        )
        before = replace(after, unpublished=())


def archive_backtest(
    subscription: Subscription, found: ArchivedHistory, since: int, listed: int
) -> Backtest:
    """Match the changes of archives from a time (epoch ms) on as those of the store."""
    tally = Tally(subscription, listed)
    for change in reversed(found.changes):
        if change.at >= since:
            completed(tally.look(change))
    times = [each.at for each in found.captures] or [0]
    history = ChangeHistory((), None, times[0], times[-1])
    return Backtest(tally, since, history if found.captures else None, found.stopped)
