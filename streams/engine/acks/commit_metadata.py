"""Name the events in hand next to a committed offset, for the next owner of the partition.

Kafka keeps a text with each committed offset, which outlives any end of the process, and the
machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from msgspec import DecodeError, ValidationError, json

MAX_OFFSETS = 64
"""Events that are named: with 19 digits each the text has at most Kafka's 4,096 bytes."""


@dataclass(frozen=True, slots=True)
class CommitMetadata:
    """The state of a partition at a commit of its owner.

    ``since`` is the offset at which it began, None once it has let the partition go. It has
    the events ``in_hand``, by their offsets. ``ends`` counts for each event how many
    processes had ended before while it was in hand, ``cuts`` how many in a row have ended
    in one place, whatever they had in hand. ``topic`` is the id of the topic that the
    offsets are of, empty if the broker knows none.

    Example:
        >>> CommitMetadata(in_hand=(7,), since=7).encoded()
        '{"in_hand":[7],"ends":{},"cuts":0,"since":7,"topic":""}'
    """

    in_hand: tuple[int, ...] = ()
    ends: Mapping[int, int] = field(default_factory=dict)
    cuts: int = 0
    since: int | None = None
    topic: str = ""

    @classmethod
    def decoded(cls, text: str) -> Self:
        """Decode a text; one that is not ours says nothing."""
        try:
            return json.decode(text, type=cls)
        except (DecodeError, ValidationError):
            return cls()

    def encoded(self) -> str:
        """Encode it; metadata that says nothing is empty."""
        return "" if self == CommitMetadata() else json.encode(self).decode()

    def taken_up(self, position: int) -> "CommitMetadata":
        """Return what the next owner begins with, at a committed position.

        What was in hand when the last owner ended without letting go counts. Events before
        the position are done.

        Example:
            >>> CommitMetadata(in_hand=(8, 9), ends={9: 1}, since=8).taken_up(8)
            CommitMetadata(in_hand=(), ends={9: 2, 8: 1}, cuts=1, since=8, topic='')
        """
        ends = dict(self.ends)
        for offset in self.in_hand:
            ends[offset] = ends.get(offset, 0) + 1
        left = sorted(
            ((offset, count) for offset, count in ends.items() if offset >= position),
            key=lambda each: (-each[1], each[0]),
        )
        cuts = 0
        if self.since is not None:
            cuts = self.cuts + 1 if position <= self.since else 1
        return CommitMetadata(ends=dict(left[:MAX_OFFSETS]), cuts=cuts, since=position)
