"""The life of a subscription as its client sees it: when it asked, and when it was answered."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Turn:
    """A subscription began or went on (``is_on``), or was paused or ended.

    A request was ``sent`` for it at a moment, and ``answered`` at another.
    """

    is_on: bool
    sent: int
    answered: int


@dataclass
class Life:
    """The turns of a subscription, in the order in which they were decided."""

    turns: list[Turn] = field(default_factory=list)

    def must(self, seen: int) -> bool:
        """Whether what was seen at a moment must be notified."""
        for number, turn in enumerate(self.turns):
            later = self.turns[number + 1 :]
            is_left_on = all(seen <= each.sent for each in later if not each.is_on)
            if turn.is_on and turn.answered < seen and is_left_on:
                return True
        return False

    def may(self, seen: int) -> bool:
        """Whether what was seen at a moment may be notified."""
        if seen <= self.turns[0].sent:
            return False
        for number, turn in enumerate(self.turns):
            later = self.turns[number + 1 :]
            is_left_off = all(seen <= each.sent for each in later if each.is_on)
            if not turn.is_on and turn.answered < seen and is_left_off:
                return False
        return True
