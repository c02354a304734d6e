"""Select the dead letters that a command is about."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

from connectors.dead_letters.reading import DeadLetterReader
from connectors.dead_letters.record import DeadLetter
from streams.cli.durations import UNITS
from streams.cli.progress import counted

_AGE = re.compile(r"(\d{1,9})([smhd])")


@dataclass(frozen=True, slots=True)
class Selection:
    """Those with these ``ids``, or else all since a time (epoch ms) that came from a topic."""

    ids: tuple[str, ...]
    since: int
    topic: str | None

    async def read(self, reader: DeadLetterReader) -> AsyncIterator[DeadLetter]:
        """Read them, with a progress bar; raises DeadLetterError for an id that does not exist."""
        for letter_id in self.ids:
            yield await reader.one(letter_id)
        if not self.ids:
            async for letter in counted(reader.all(self.since), "reading dead letters"):
                if self.topic in {None, letter.origin_topic}:
                    yield letter


def parse_since(text: str | None, now: int) -> int:
    """Parse a time, or an age before ``now`` (epoch ms), to epoch ms; raises ValueError.

    Example:
        >>> parse_since("2h", now=10_000_000)
        2800000
    """
    if text is None:
        return 0
    age = _AGE.fullmatch(text.strip())
    if age is not None:
        return max(0, now - int(age[1]) * UNITS[age[2]] * 1000)
    time = datetime.fromisoformat(text.strip())
    return max(0, int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000))
