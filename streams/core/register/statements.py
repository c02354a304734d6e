"""States the watches of the register again, so that schedule can compare itself with it.

A fact that was lost, as when retention deleted it before it was read, would otherwise leave
a subscription that nobody fetches, or a watch that nobody has asked for.
"""

from collections.abc import Iterator
from itertools import groupby

from schemas.watches import StatedWatch, StateWatches, WatchesStated
from streams.core.register.memory import RegisterMemory
from streams.core.url_hashes import LAST_HASH, hashed_between

PERIOD_MS = 600_000
"""Time between two statements of a partition."""
STATEMENTS = 144
"""Statements in which all watches of a partition are stated: in a day."""
MAX_STATED = 300
"""Watches, and views of them, in one fact, which stays below 1 MB."""


def statement_due(now: int) -> StateWatches:
    """Return which watches are to be stated at a time (epoch ms); it changes every PERIOD_MS."""
    number = now // PERIOD_MS % STATEMENTS
    size = LAST_HASH + 1
    return StateWatches(number * size // STATEMENTS, (number + 1) * size // STATEMENTS - 1)


def stated(
    command: StateWatches, memory: RegisterMemory, at: int
) -> Iterator[WatchesStated | None]:
    """Yield facts that cover all hashes of a command, and None between two steps."""
    found = yield from hashed_between(memory.urls(), command.first, command.last)
    first = command.first
    watches: list[StatedWatch] = []
    size = 0
    for number, group in groupby(sorted(found), key=lambda each: each[0]):
        if size >= MAX_STATED:
            yield WatchesStated(first, number - 1, tuple(watches), at)
            first, watches, size = number, [], 0
        for _, url in group:
            watch = memory.of(url).watch()
            if watch is not None:
                watches.append(StatedWatch(url, watch))
                size += 1 + len(watch.views)
    yield WatchesStated(first, command.last, tuple(watches), at)
