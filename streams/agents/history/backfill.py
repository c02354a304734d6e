"""Backfill: find what kept changes would have notified a subscription of.

With the matcher of match, in slices, from the history of the store. The ids are those that match
would have given, so nothing is notified as history that was notified when it happened, nor twice.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

import structlog

from schemas.records.backfills import BackfillGranted
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from streams.agents.history.backtest import BacktestEffects, BacktestQuery, backtest
from streams.agents.history.backtest_tally import ListingSize

log = structlog.get_logger()

WHOLE = ListingSize(None, 8_000_000)
"""All entries of each notification, and characters of them all."""
_ENDED = ""


class TooManyBackfillsError(Exception):
    """So many backfills of a manager wait that another one is not begun."""


@dataclass(frozen=True, slots=True)
class BackfillEffects:
    """Effects of a backfill.

    ``backtest`` is what a backtest needs; ``is_known`` says whether a notification of a manager
    is recorded, by its id. ``turn`` waits until a backfill of a manager may begin, and raises
    TooManyBackfillsError.
    """

    backtest: BacktestEffects
    is_known: Callable[[str, str], Awaitable[bool]]
    turn: Callable[[str], AbstractAsyncContextManager[None]]


class Backfills:
    """Finds what subscriptions are notified of afterwards.

    Nothing is stored, so a crash repeats a backfill, with the same ids.
    """

    def __init__(self, effects: BackfillEffects) -> None:
        self._effects = effects
        self._under_way: dict[tuple[int, int], str] = {}
        """The subscription of each backfill, by its partition and offset; empty if it has ended."""

    def forget(self) -> None:
        """Forget what was under way: it has been cancelled."""
        self._under_way.clear()

    def end(self, subscription: str) -> None:
        """Let backfills of this subscription that are under way find nothing."""
        # What came before it and is not done is known here, after a crash as well: both are in
        # one partition, and what is not done is read again.
        for place, each in self._under_way.items():
            if each == subscription:
                self._under_way[place] = _ENDED

    async def notifications(
        self, granted: BackfillGranted, place: tuple[int, int]
    ) -> list[Notification]:
        """Return notifications of the newest kept changes, the oldest first.

        ``place`` is the partition and the offset of the request. Nobody is notified once the
        subscription has ended.
        """
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
            return []
        return new

    async def _new(self, granted: BackfillGranted) -> list[Notification]:
        manager = granted.subscription.manager
        async with self._effects.turn(manager):
            effects = self._effects.backtest
            query = BacktestQuery(
                granted.since, effects.cursor(granted.until, ""), granted.limit, listing=WHOLE
            )
            found = await backtest(effects, granted.subscription, query)
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


def new_notifications(listed: Sequence[Notification], known: Collection[str]) -> list[Notification]:
    """Return those that are not known by their id, marked as history, the oldest first.

    ``listed`` has the newest first.
    """
    new = [each for each in reversed(listed) if each.id not in known]
    # Deliver decides whether it is held now; the backtest says what would have been then.
    return [replace(each, history=True, held=None) for each in new]
