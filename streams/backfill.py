"""backfill: notifies a subscription of what kept changes would have brought it.

With the matcher of match, in slices, from the history of the store. The ids are those that match
would have given, so nothing is notified as history that was notified when it happened, nor twice.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

import structlog

from schemas.backfills import BackfillGranted
from schemas.notifications import Notification
from streams.core.outcome import Event, Lookup, Outcome, Owned, Send
from streams.topics import NOTIFICATIONS
from streams.trial.backtesting import Backtest, BacktestEffects, BacktestQuery, backtest_of
from streams.trial.tally import Room

log = structlog.get_logger()

WHOLE = Room(None, 8_000_000)
"""All entries of each notification, and characters of them all."""


class TooManyBackfillsError(Exception):
    """So many backfills of a manager wait that another one is not begun."""


@dataclass(frozen=True, slots=True)
class BackfillEffects:
    """What backfill does apart from deciding.

    ``backtest`` is what a backtest needs; ``is_known`` says whether a notification of a manager
    is recorded, by its id. ``turn`` waits until a backfill of a manager may begin, and raises
    TooManyBackfillsError.
    """

    backtest: BacktestEffects
    is_known: Callable[[str, str], Awaitable[bool]]
    turn: Callable[[str], AbstractAsyncContextManager[None]]


class BackfillStage:
    """The stage; it keeps nothing, so that a crash repeats a backfill with the same ids."""

    def __init__(self, effects: BackfillEffects) -> None:
        """Use these effects."""
        self._effects = effects

    def key(self, event: Event) -> str | None:
        """Let backfills run in any order: those of a manager wait for each other."""
        return None

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Need nothing of the partitions."""

    def released(self) -> None:
        """Keep nothing of the partitions."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Notify a subscription of the newest kept changes that concern it, the oldest first."""
        granted: BackfillGranted = event.fact
        manager = granted.subscription.manager
        async with self._effects.turn(manager):
            found = await self._found(granted)
        listed = [each.notification for each in found.tally.listed]
        known = {each.id for each in listed if await self._effects.is_known(manager, each.id)}
        new = new_notifications(listed, known)
        log.info(
            "backfilled",
            url=granted.subscription.url,
            subscription=granted.subscription.id,
            request_id=granted.request_id,
            notifications=len(new),
            known=len(listed) - len(new),
            left=found.tally.notifications - len(listed),
            stopped=found.stopped or None,
        )
        return Outcome([Send(NOTIFICATIONS.name, each.receiver.name, each) for each in new])

    async def _found(self, granted: BackfillGranted) -> Backtest:
        effects = self._effects.backtest
        query = BacktestQuery(
            granted.since, effects.cursor(granted.until, ""), granted.limit, room=WHOLE
        )
        return await backtest_of(effects, granted.subscription, query)


def new_notifications(listed: Sequence[Notification], known: Collection[str]) -> list[Notification]:
    """Return those that are not known by their id, marked as history, the oldest first.

    ``listed`` has the newest first.
    """
    new = [each for each in reversed(listed) if each.id not in known]
    # Deliver decides whether it is held now; the backtest says what would have been then.
    return [replace(each, history=True, held=None) for each in new]
