"""Read what is kept of one page again, and compare it with what was read and notified then."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import structlog

from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document, KeptSnapshot
from schemas.records.reprocessing import (
    MAX_SUBSCRIPTIONS,
    MAX_TIMES,
    ReadAgain,
    Reprocess,
    Reprocessed,
)
from schemas.records.subscriptions import Subscription
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.state.suspect_texts import state_as_read_again
from streams.agents.history.reprocess_effects import ReprocessEffects, Reread, Rereading
from streams.agents.match.patience.memory import patience_of
from streams.values.ids import content_id
from streams.values.steps import completed

log = structlog.get_logger()

PAGE_S = 60.0
"""Seconds after which the rest of a page is left: its partition has others."""
LATE = f"not all was read: it took longer than {PAGE_S:g} s"
REPLACED, SAME, OVERTAKEN = "replaced", "same reader", "overtaken by a visit"


class NotifiedThen(NamedTuple):
    """The ids of subscriptions that are notified before and now, now alone, and before alone."""

    same: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


class PageReprocess:
    """Goes through the snapshots and changes of one page, the oldest first."""

    def __init__(self, effects: ReprocessEffects, command: Reprocess) -> None:
        self._effects = effects
        self._command = command
        self._is_same_view = command.watched.id == command.view
        self._before: Document | None = None
        self._newest: tuple[KeptSnapshot, Document] | None = None

    async def result(self) -> Reprocessed:
        """Read and compare all, and replace the newest text if the command says so."""
        effects, command = self._effects, self._command
        end, where = effects.seconds() + PAGE_S, (command.url, command.view)
        subscriptions = comparable(await effects.pages.subscribers(*where, MAX_SUBSCRIPTIONS))
        found, unread = [], ""
        for at in await effects.pages.times(*where, command.since, MAX_TIMES):
            if effects.seconds() > end:
                unread = LATE
                break
            found.append(await self._at(at, subscriptions))
        outcome = await self._replaced() if command.replace and not unread else ""
        return Reprocessed(command.run, *where, tuple(found), outcome, unread)

    async def _at(self, at: int, subscriptions: list[Subscription]) -> ReadAgain:
        effects, where = self._effects, (self._command.url, self._command.view)
        recorded = await effects.pages.changes(*where, at)
        snapshot = await effects.pages.snapshot(*where, at)
        has_before = self._before is not None
        read = None if snapshot is None else await self._read(snapshot)
        item = ReadAgain(at) if snapshot is None else _item(snapshot, read)
        item = replace(item, was_change=bool(recorded))
        if read is not None and read.after is not None and has_before:
            changes = read.changes
        elif recorded and self._is_same_view:
            # What was recorded is still matched as it would be now.
            changes = tuple(recorded)
        else:
            return item
        notified = await notified_then(effects, subscriptions, at, recorded, changes)
        return replace(
            item,
            is_change=bool(changes),
            is_compared=True,
            same=notified.same,
            added=notified.added,
            removed=notified.removed,
        )

    async def _read(self, snapshot: KeptSnapshot) -> Reread | None:
        """Read a snapshot after the one before it; None if its body was not kept."""
        self._newest, before, self._before = None, self._before, None
        if snapshot.body is None:
            return None
        command = self._command
        due = DueView(command.url, "reprocess", snapshot.at, command.watched)
        read = await self._effects.read(Rereading(snapshot, before, due))
        self._before = read.after
        if read.after is not None:
            self._newest = snapshot, read.after
        return read

    async def _replaced(self) -> str:
        """Replace the current text by what its body is read as now, unless a visit has."""
        if self._newest is None:
            return "no body is kept of the newest text"
        effects, (snapshot, read) = self._effects, self._newest
        stored = await effects.documents.document(self._command.url, self._command.view)
        if stored is None or stored.read_at != snapshot.at or stored.text != snapshot.text:
            return OVERTAKEN
        if stored.reader == read.reader:
            return SAME
        if stored.unpublished:  # its visit is under way
            return OVERTAKEN
        after = state_as_read_again(stored, read.text or "", read.reader, effects.now())
        # Slots are never a millisecond apart, so no visit has written this version.
        after = replace(after, version=stored.version + 1)
        if not await effects.documents.compare_and_set(after, stored.version):
            return OVERTAKEN
        log.info("replaced", url=stored.url, view=stored.view, reader=read.reader)
        return REPLACED


def _item(snapshot: KeptSnapshot, read: Reread | None) -> ReadAgain:
    item = ReadAgain(snapshot.at, snapshot.reader)
    if read is None:
        return item
    return replace(
        item,
        reader_now="" if read.after is None else read.after.reader,
        body_sha256=read.body_sha256,
        edits=read.edits,
        difference=read.difference,
        problem=read.problem,
    )


def comparable(subscriptions: Iterable[Subscription]) -> list[Subscription]:
    """Return the subscriptions of which it is known what they get by a change alone."""
    return [each for each in subscriptions if patience_of(each.options) is None and not each.paused]


async def notified_then(
    effects: ReprocessEffects,
    subscriptions: Sequence[Subscription],
    at: int,
    recorded: Sequence[DocumentChanged],
    read: Sequence[DocumentChanged],
) -> NotifiedThen:
    """Compare who was notified of the recorded change, and who would be of the one read now."""
    there = [
        each
        for each in subscriptions
        if max((each.created, *(view.until for view in each.earlier_views))) <= at
    ]
    ids = {content_id(change.id, each.id): each.id for change in recorded for each in there}
    was = {ids[each] for each in await effects.pages.notified(ids)}
    would = {each.id for each in there if await _is_concerned(effects, each, read)}
    return NotifiedThen(*(tuple(sorted(each)) for each in (was & would, would - was, was - would)))


async def _is_concerned(
    effects: ReprocessEffects, subscription: Subscription, changes: Iterable[DocumentChanged]
) -> bool:
    for change in changes:
        known = replace(change, language=effects.language(change.language))
        if await effects.compute(partial(_concerns, subscription, known)):
            return True
    return False


def _concerns(subscription: Subscription, change: DocumentChanged) -> bool:
    # Only the thread that matches needs it.
    from streams.matching.backtest import past_notification  # noqa: PLC0415

    return completed(past_notification(subscription, change, in_full=False)) is not None
