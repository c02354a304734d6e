"""Why notifications came twice: how deliver ended between two POSTs, and how far the first was."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from aiokafka import ConsumerRecord

from schemas import wire
from schemas.deliveries import Delivered
from tests.harness.load import Watcher

POSTED = re.compile(r"^(\S+) .*\bposted\b.*\bnotification=(\w+)", re.MULTILINE)
STAGE = "deliver"
JUST_S = 0.5
"""A worker that was killed so long before a receiver answered may have asked it."""

Times = defaultdict[str, list[float]]
"""Epoch s, by the id of a notification."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker, by its name, ended or stood still, and when (epoch s)."""

    at: float
    name: str
    how: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """A notification that was accepted, and accepted once more, at these times (epoch s)."""

    notification: str
    first: float
    again: float


@dataclass
class Records:
    """What a run recorded, by which the causes of repeats are found."""

    endings: Sequence[Ending]
    answered: Times = field(default_factory=lambda: defaultdict(list))
    """When a worker had read an answer, as the logs of deliver say."""
    published: Times = field(default_factory=lambda: defaultdict(list))
    """When a result was on the topic ``deliveries``."""

    def read_log(self, said: str) -> None:
        """Add what a worker of deliver has logged."""
        for at, notification in POSTED.findall(said):
            self.answered[notification].append(datetime.fromisoformat(at).timestamp())

    def read_deliveries(self, messages: Iterable[ConsumerRecord]) -> None:
        """Add the messages of ``deliveries``."""
        for message in messages:
            with suppress(wire.Undecodable):  # a kind that is no result
                fact = wire.decode(message.value, Delivered)
                self.published[fact.notification].append(message.timestamp / 1000)

    def cause(self, repeat: Repeat) -> str:
        """Say how far a POST was that was repeated, and what ended deliver after it."""
        return f"{self._progress(repeat)}; {self._ending(repeat)}"

    def _progress(self, repeat: Repeat) -> str:
        def has(times: Times) -> bool:
            since = repeat.first - JUST_S
            return any(since < at < repeat.again for at in times[repeat.notification])

        if has(self.published):
            return "published, not stored"
        return "answered, not published" if has(self.answered) else "in flight"

    def _ending(self, repeat: Repeat) -> str:
        since = repeat.first - JUST_S
        for each in sorted(self.endings, key=lambda ending: ending.at):
            if each.name.startswith(STAGE) and since < each.at < repeat.again:
                return f"{each.how} {max(each.at - repeat.first, 0):.0f} s later"
        return "no worker ended"


def repeats(watchers: Iterable[Watcher]) -> Iterator[Repeat]:
    """Yield what each receiver has accepted more than once."""
    for watcher in watchers:
        accepted: Times = defaultdict(list)
        for post in watcher.hook.posts:
            if 200 <= post.status < 300:
                accepted[post.id].append(post.at)
        for name, times in accepted.items():
            yield from (Repeat(name, first, again) for first, again in pairwise(times))
