"""Long outcomes of one partition, which are decided in parts."""

from collections import deque
from collections.abc import Callable, Iterator

from streams.engine.acks.runner import TakenEvent
from streams.values.outcome import Outcome

PART = 500
"""Parts of one line that are decided in its turn at most."""


Work = TakenEvent | Callable[[], Outcome]
"""The work of a lane, in order: events, and between them decisions at ticks of the timer."""
Decided = tuple[Work, Outcome | None]
"""A part of an outcome; None after the last one."""


class LongOutcomes:
    """Takes parts of the first outcome of each line, one line after another."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[tuple[Work, Iterator[Outcome]]]] = {}

    def __bool__(self) -> bool:
        """Whether any is not decided to its end."""
        return bool(self._lines)

    def add(self, line: str, work: Work, parts: Iterator[Outcome]) -> None:
        """Put an outcome at the end of its line."""
        self._lines.setdefault(line, deque()).append((work, parts))

    def decide(self, is_over: Callable[[], bool]) -> Iterator[Decided]:
        """Yield the next parts, at least one, until the time is over or each line had its turn.

        A turn ends with a part that is awaited: what was yielded is durable by the next turn.
        """
        for line in tuple(self._lines):
            waiting = self._lines.pop(line)
            for _ in range(PART):
                work, parts = waiting[0]
                part = next(parts, None)
                if part is None:
                    waiting.popleft()
                yield work, part
                is_awaited = part is not None and part.awaited
                if not waiting or is_awaited or is_over():
                    break
            if waiting:
                # After the others: they go first next time.
                self._lines[line] = waiting
            if is_over():
                return
