"""backfill: notifies a subscription of what kept changes would have brought it.

With the matcher of match, in slices, from the history of the store. The ids are those that match
would have given, so nothing is notified as history that was notified when it happened, nor twice.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

import structlog

from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from streams.agents.history.backtest import Backtest, BacktestEffects, BacktestQuery, backtest_of
from streams.agents.history.tally import Room
from streams.values.outcome import Event, Lookup, Outcome, Owned, Send
from streams.values.topics import NOTIFICATIONS

log = structlog.get_logger()

WHOLE = Room(None, 8_000_000)
"""All entries of each notification, and characters of them all."""
_ENDED = ""


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
    """The stage; it stores nothing, so that a crash repeats a backfill with the same ids."""

    def __init__(self, effects: BackfillEffects) -> None:
        """Use these effects."""
        self._effects = effects
        self._under_way: dict[tuple[int, int], str] = {}
        """The subscription of each backfill, by its partition and offset; empty if it has ended."""

    def key(self, event: Event) -> str | None:
        """Let backfills run in any order: those of a manager wait for each other."""
        return None

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Need nothing of the partitions."""

    def released(self) -> None:
        """Keep nothing of the partitions."""
        self._under_way.clear()

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Notify a subscription of the newest kept changes that concern it, the oldest first.

        Nobody is notified once the subscription has ended.
        """
        match event.fact:
            case BackfillGranted():
                return await self._backfilled((event.partition, event.offset), event.fact)
            case BackfillEnded():
                self._note_ended(event.fact.subscription)
                return Outcome()
        raise TypeError(f"backfill does not read facts of type {type(event.fact).__name__}")

    def _note_ended(self, subscription: str) -> None:
        # What came before it and is not done is known here, after a crash as well: both are in
        # one partition, and what is not done is read again.
        for place, each in self._under_way.items():
            if each == subscription:
                self._under_way[place] = _ENDED

    async def _backfilled(self, place: tuple[int, int], granted: BackfillGranted) -> Outcome:
        self._under_way.setdefault(place, granted.subscription.id)
        try:
            new = await self._new(granted)
        except OSError:  # it is begun again, and its subscription may end meanwhile
            raise
        except Exception:
            del self._under_way[place]
            raise
        if self._under_way.pop(place) == _ENDED:
            log.info("backfill dropped: its subscription has ended", **trail(granted))
            return Outcome()
        return Outcome([Send(NOTIFICATIONS.name, each.receiver.name, each) for each in new])

    async def _new(self, granted: BackfillGranted) -> list[Notification]:
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
        return new

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
