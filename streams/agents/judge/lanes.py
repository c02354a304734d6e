"""The notifications that wait to be judged, in lanes: those of one receiver about one page."""

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas.records.judgements import HeldJudgement, Judge
from streams.values.ids import content_id

PAUSES_MS = (30_000, 60_000, 120_000, 300_000, 600_000)
"""Pauses before a notification is tried again."""
MOST_WAITING = 500
"""The most notifications of a lane; beyond, the first leaves without a judgement."""


def lane_of(command: Judge) -> str:
    """Return the id of the lane of a notification."""
    return content_id(*command.lane)


def next_try(held: HeldJudgement, now: int) -> int:
    """Return when (epoch ms) a notification is tried again that cannot be judged ``now``."""
    pause = PAUSES_MS[min(held.tries, len(PAUSES_MS) - 1)]
    return min(now + pause, max(held.until, now))


@dataclass(slots=True, order=True)
class WaitingNotification:
    """A notification (its id) with the offset of its command; ``due`` is None while it is tried."""

    place: int
    id: str
    due: int | None = field(compare=False)


class HeldLanes:
    """The waiting notifications of a partition; their contents are in the table."""

    def __init__(self) -> None:
        self._lanes: dict[str, list[WaitingNotification]] = {}
        self._ids: set[str] = set()

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._ids)

    def __contains__(self, notification: str) -> bool:
        """Return whether a notification (its id) waits."""
        return notification in self._ids

    def first(self, lane: str) -> WaitingNotification | None:
        """Return what is next in a lane."""
        return next(iter(self._lanes.get(lane, ())), None)

    def is_over_full(self, lane: str) -> bool:
        """Return whether the first of a lane must leave for the others."""
        return len(self._lanes.get(lane, ())) > MOST_WAITING

    def add(self, held: HeldJudgement) -> None:
        """Let a notification wait after those of its lane that came before it."""
        name = held.command.notification.id
        insort(
            self._lanes.setdefault(lane_of(held.command), []),
            WaitingNotification(held.place, name, held.due),
        )
        self._ids.add(name)

    def pop(self, lane: str) -> WaitingNotification | None:
        """Remove what is first in a lane, and return the next, which is tried now."""
        waiting = self._lanes[lane]
        self._ids.discard(waiting.pop(0).id)
        if not waiting:
            del self._lanes[lane]
            return None
        waiting[0].due = None
        return waiting[0]

    def pop_due(self, now: int) -> Iterator[str]:
        """Yield the lanes of which the first is due ``now`` (epoch ms), each until it is tried."""
        for lane, several in self._lanes.items():
            first = several[0]
            if first.due is not None and first.due <= now:
                first.due = None
                yield lane
