"""Why notifications came twice: how deliver ended between two POSTs, and how far the first was."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from aiokafka import ConsumerRecord

from schemas.codec import wire
from schemas.records.deliveries import Delivered
from tests.harness.load import Watcher

POSTED = re.compile(r"^(\S+) .*\bposted\b.*\bnotification=(\w+)", re.MULTILINE)
AGENT = "deliver"
SLOWEST_S = 4.0
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
        """Say how far a POST was that was repeated, and what ended deliver at that time."""
        if self._has(self.published, repeat):
            return f"published, not stored; {self._ending(repeat, repeat.first)}"
        if self._has(self.answered, repeat):
            return f"answered, not published; {self._ending(repeat, repeat.first)}"
        return f"in flight; {self._ending(repeat, repeat.first - SLOWEST_S)}"

    def _has(self, times: Times, repeat: Repeat) -> bool:
        found = times[repeat.notification]
        return any(repeat.first - SLOWEST_S < at < repeat.again for at in found)

    def _ending(self, repeat: Repeat, since: float) -> str:
        """Say what ended a worker between a time and the second POST, next to the first."""
        ends = [each for each in self.endings if each.name.startswith(AGENT)]
        between = [each for each in ends if since < each.at < repeat.again]
        if not between:
            return "no worker ended"
        nearest = min(between, key=lambda ending: abs(ending.at - repeat.first))
        return f"{nearest.how} {max(nearest.at - repeat.first, 0):.0f} s later"


def repeats(watchers: Iterable[Watcher]) -> Iterator[Repeat]:
    """Yield what each receiver has accepted more than once."""
    for watcher in watchers:
        accepted: Times = defaultdict(list)
        for post in watcher.hook.posts:
            if 200 <= post.status < 300:
                accepted[post.id].append(post.at)
        for name, times in accepted.items():
            yield from (Repeat(name, first, again) for first, again in pairwise(times))
