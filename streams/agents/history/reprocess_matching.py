"""Compare which subscriptions were notified of a page at a time, and which would be now."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from schemas.records.changes import DocumentChanged
from schemas.records.subscriptions import Subscription
from streams.agents.history.reprocess_effects import ReprocessEffects
from streams.agents.match.patience.lengths import patience_of
from streams.values.ids import content_id
from streams.values.steps import completed


class NotifiedThen(NamedTuple):
    """The ids of subscriptions that are notified before and now, now alone, and before alone."""

    same: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


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
    there = [each for each in subscriptions if _had_view(each, at)]
    ids = {content_id(change.id, each.id): each.id for change in recorded for each in there}
    was = {ids[each] for each in await effects.pages.notified(ids)}
    would = {each.id for each in there if await _is_concerned(effects, each, read)}
    return NotifiedThen(*(tuple(sorted(each)) for each in (was & would, would - was, was - would)))


def _had_view(subscription: Subscription, at: int) -> bool:
    begins = [subscription.created, *(each.until for each in subscription.earlier_views)]
    return max(begins) <= at


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
