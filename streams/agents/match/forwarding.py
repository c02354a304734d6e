"""Passes a request on to the partition of its URL, once, with a mark of where it came from."""

import re
from collections.abc import Callable

from schemas.records.topic_names import FORWARDED, MOVED
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from streams.agents.match.register.cases import Origin
from streams.values.outcome import Event, Outcome, Send

_MARK = re.compile(rb"([0-9]{1,6}):([0-9]{1,18}):([0-9]{1,15})")
CLOCK_SKEW_MS = 60_000
"""How far the clocks of two brokers may differ."""
MAX_PARTITIONS = 10_000


class MisplacedError(Exception):
    """A request on a wrong partition although it was forwarded, or with a forged mark."""


class Forwarding:
    """Where requests belong, and where forwarded ones were first read."""

    def __init__(self, partition_of: Callable[[str], int], partitions: int) -> None:
        """``partition_of`` returns the partition of a URL; each topic has ``partitions``."""
        self._partition_of = partition_of
        self._partitions = partitions

    def forwarded(self, event: Event, key: str) -> Outcome | None:
        """Forward a request with the key of another partition; None if it is in the right one."""
        if self._partition_of(key) == event.partition:
            return None
        # Two processes that disagree about partitions would forward it back and forth.
        # A copy was marked where it was copied to by its key, which anyone may set.
        names = [name for name, _ in event.headers]
        if FORWARDED in names and MOVED not in names:
            raise MisplacedError(
                f"partition {event.partition} is wrong for {key}, although forwarded:"
                " all processes need the same VOKTER_PARTITIONS"
            )
        headers = tuple(each for each in event.headers if each[0] != MOVED)
        if FORWARDED not in names:
            mark = f"{event.partition}:{event.offset}:{event.timestamp}".encode()
            headers = (*headers, (FORWARDED, mark))
        send = Send(SUBSCRIPTION_REQUESTS.name, key, event.value, headers=headers)
        return Outcome(sends=(send,))

    def origin(self, event: Event) -> Origin:
        """Return where a request was first read; raises MisplacedError for an impossible mark.

        Anyone may write the header. A false offset could keep later requests of that
        partition from being decided, a false partition could make rows grow, and a false
        time would hold for all later facts of the URL.
        """
        for name, value in event.headers:
            if name == FORWARDED:
                found = _MARK.fullmatch(value or b"")
                origin = Origin(*map(int, found.groups())) if found else None
                if origin is None or not self._is_possible(origin, event):
                    mark = (value or b"")[:100]
                    raise MisplacedError(f"no forward writes the header {FORWARDED}: {mark!r}")
                return origin
        return Origin(event.partition, event.offset, event.timestamp)

    def _is_possible(self, origin: Origin, event: Event) -> bool:
        is_there = origin.partition < self._partitions
        is_other = origin.partition != event.partition
        if not is_other and any(name == MOVED for name, _ in event.headers):
            is_other = origin.offset < event.offset  # a copy of an earlier message
        return is_there and is_other and origin.timestamp <= event.timestamp + CLOCK_SKEW_MS
