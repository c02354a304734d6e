"""Keep a message that ends the process from doing so again and again.

How an event is found that ends each process that handles it:

1. While a worker has a partition, its committed offset has ``CommitMetadata`` of that, and of
   the events in hand. It is written with the commits that are due anyway, once a second at most.
2. If the owner ends without letting go, the next one is careful for a while: it
   commits each event as in hand before it handles it, so that the next end names them all.
3. An event that was in hand at two ends is handled alone in its process: whatever stood
   next to it by chance is not in hand with it at a third end.
4. An event that was in hand at three ends is a dead letter.

The first two ends only raise a suspicion, and count for every event of the group in hand. The third
one counts for an event that was handled alone, for no other. A kill from outside looks like an end
by the event: who kills a worker three times in a row while it handles the same event, the third
time alone, makes a dead letter of that event, which ``vokter dead-letters replay`` puts back.
"""

from collections.abc import Callable, Container, Iterable, Mapping

from aiokafka import TopicPartition

from streams.engine.acks.commit_metadata import MAX_OFFSETS, CommitMetadata

ALONE_AFTER = 2
GIVEN_UP_AFTER = 3
CAREFUL_S = 10.0
"""Seconds that a partition is handled with care, doubled with each end at the same offset."""
LONGEST_CAREFUL_S = 3600.0
CAREFUL_MAX_IN_FLIGHT = 8
"""Events of a process that are in hand at a time then: after a second end, each is handled
alone, and a slow one takes 15 s."""


class PoisonMessages:
    """Knows what the owners of an assignment's partitions had in hand when they ended."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` returns seconds."""
        self._clock = clock
        self._metadata: dict[TopicPartition, CommitMetadata] = {}
        self._careful_until: dict[TopicPartition, float] = {}
        self._has_let_go = True

    def begin(
        self,
        positions: Mapping[TopicPartition, int],
        metadata: Mapping[TopicPartition, CommitMetadata],
        idle: Container[TopicPartition],
    ) -> None:
        """Begin with partitions at their positions, with the metadata of their last owners.

        Those that are ``idle`` have no message left, so no message of theirs has ended a process.
        """
        now, nothing = self._clock(), CommitMetadata()
        self._metadata = {
            tp: (nothing if tp in idle else metadata.get(tp, nothing)).taken_up(at)
            for tp, at in positions.items()
        }
        self._careful_until = {
            tp: now + min(CAREFUL_S * 2 ** (found.cuts - 1), LONGEST_CAREFUL_S)
            for tp, found in self._metadata.items()
            if found.cuts
        }
        self._has_let_go = False

    def let_go(self) -> None:
        """Name no event as in hand from now on: this end of the process is no event's fault."""
        self._has_let_go = True

    def forget(self, partition: TopicPartition) -> None:
        """Forget the metadata of a partition: its offsets have become those of other events."""
        self._metadata[partition] = CommitMetadata().taken_up(0)
        self._careful_until.pop(partition, None)

    def ends(self, partition: TopicPartition, offset: int) -> int:
        """Return how many processes ended while an event was in hand."""
        found = self._metadata.get(partition)
        return found.ends.get(offset, 0) if found else 0

    def is_careful(self, partition: TopicPartition) -> bool:
        """Whether all events of a partition must be committed as in hand before they are handled.

        In any case those that were in hand when a process ended.
        """
        return self._clock() < self._careful_until.get(partition, 0.0)

    def metadata(
        self, partition: TopicPartition, position: int, in_hand: Iterable[int]
    ) -> CommitMetadata:
        """Return what to commit with a position, if these events are in hand."""
        begun = self._metadata[partition]
        ends = {offset: count for offset, count in begun.ends.items() if offset >= position}
        if self._has_let_go:
            return CommitMetadata(ends=ends)
        hand = tuple(in_hand)[:MAX_OFFSETS]
        return CommitMetadata(hand, ends, cuts=begun.cuts, since=begun.since)
