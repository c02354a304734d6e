"""The newest dead letters, and their replay: for the page, which may ask often."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from connectors.dead_letters.reading import open_dead_letters
from connectors.dead_letters.record import DeadLetter, DeadLetterError
from connectors.dead_letters.replay import open_replayer
from connectors.kafka.access import Access
from connectors.single_flight import SharedAnswer
from schemas.records.topics import DEAD_LETTERS

PER_PARTITION = 25
"""The newest dead letters of each partition to read."""
SHOWN_BYTES = 300
"""The kept bytes of a message."""
FRESH_S = 5.0
TIMEOUT_S = 15.0
MOST_REPLAYED = 1_000
"""The most replayed ids remembered."""


@dataclass(frozen=True, slots=True)
class RecentLetter:
    """A dead letter without most of its message; times are epoch ms.

    ``start`` is how its value begins. ``replayed`` is the time of its replay by this process, None
    without a replay.
    """

    id: str
    at: int
    origin: tuple[str, int, int] | None
    agent: str
    reason: str
    size: int
    start: bytes
    is_whole: bool
    replayed: int | None = None

    @property
    def can_replay(self) -> bool:
        """Whether its message is whole, and says where it came from."""
        return self.is_whole and self.origin is not None


@dataclass(frozen=True, slots=True)
class RecentLetters:
    """The newest dead letters, newest first, and how many offsets the topic has."""

    letters: tuple[RecentLetter, ...]
    count: int


class DeadLetterDesk:
    """Lists and replays dead letters, with connections opened on demand."""

    def __init__(
        self,
        access: Access,
        prefix: str,
        topics: Collection[str],
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        """Put back on these ``topics`` only, named without the ``prefix``.

        ``clock`` returns epoch ms, ``monotonic`` seconds.
        """
        self._access = access
        self._prefix = prefix
        self._topics = topics
        self._clock = clock
        self._recent = SharedAnswer(self._read, FRESH_S, monotonic)
        self._replayed: OrderedDict[str, int] = OrderedDict()

    async def recent(self) -> RecentLetters:
        """Return the newest of each partition, as they were some seconds ago.

        Raises KafkaError, TimeoutError, and LookupError if there is no such topic.
        """
        found = await self._recent.get()
        letters = (replace(each, replayed=self._replayed.get(each.id)) for each in found.letters)
        return replace(found, letters=tuple(letters))

    async def replay(self, letter_id: str) -> None:
        """Put a message back into its topic.

        Raises DeadLetterError if not possible or already done here, KafkaError, and TimeoutError.
        """
        if letter_id in self._replayed:
            raise DeadLetterError(f"{letter_id} has been put back already")
        # Noted first: a second call that comes meanwhile must not put it back, too.
        self._replayed[letter_id] = self._clock()
        if len(self._replayed) > MOST_REPLAYED:
            self._replayed.popitem(last=False)
        try:
            async with (
                asyncio.timeout(TIMEOUT_S),
                open_dead_letters(self._access, self._prefix + DEAD_LETTERS.name) as reader,
            ):
                letter = await reader.one(letter_id)
                async with open_replayer(self._access, self._prefix, self._topics) as replayer:
                    await replayer.replay(letter)
        except BaseException:
            self._replayed.pop(letter_id, None)
            raise
        self._recent.drop()

    async def _read(self) -> RecentLetters:
        async with (
            asyncio.timeout(TIMEOUT_S),
            open_dead_letters(self._access, self._prefix + DEAD_LETTERS.name) as reader,
        ):
            # One at a time, so that no more than one large message is in memory.
            found = [_recent(letter) async for letter in reader.newest(PER_PARTITION)]
            count = await reader.count()
        found.sort(key=lambda letter: (letter.at, letter.id), reverse=True)
        return RecentLetters(tuple(found), count)


def _recent(letter: DeadLetter) -> RecentLetter:
    value = letter.value or b""
    return RecentLetter(
        id=letter.id,
        at=letter.at,
        origin=letter.origin,
        agent=letter.agent,
        reason=letter.reason,
        size=len(value),
        start=value[:SHOWN_BYTES],
        is_whole=letter.whole,
    )
