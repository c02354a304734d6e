"""States the watches of the register again, so that the ticker can compare itself with it.

A fact that was lost, as when retention deleted it before it was read, would otherwise leave
a subscription that nobody fetches, or a watch that nobody has asked for.
"""

from collections.abc import Iterator, Sequence

from schemas.records.watches import StatedWatch, StateWatches, Watch, WatchesStated
from streams.agents.match.register.memory import RegisterMemory
from streams.values.steps import completed
from streams.values.url_hashes import LAST_HASH, hashed_between
from streams.values.views import view_weight

PERIOD_MS = 600_000
"""Time between two statements of a partition."""
STATEMENTS = 144
"""Statements in which all watches of a partition are stated: in a day."""
MAX_STATED = 300
"""Watches, and the weights of their views, in one fact, which stays below 1 MB."""


def statement_due(now: int) -> StateWatches:
    """Return which watches are to be stated at a time (epoch ms); it changes every PERIOD_MS."""
    number = now // PERIOD_MS % STATEMENTS
    size = LAST_HASH + 1
    return StateWatches(number * size // STATEMENTS, (number + 1) * size // STATEMENTS - 1)


def stated(
    command: StateWatches, memory: RegisterMemory, at: int
) -> Iterator[WatchesStated | None]:
    """Yield facts that cover all hashes of a command, and None between two steps.

    Each names all watches that there are when it is yielded: a reader of it and of the facts
    before it, in order, may forget the others.
    """
    seen = memory.additions
    hashed = sorted((yield from hashed_between(memory.urls(), command.first, command.last)))
    first, start = command.first, 0
    while first <= command.last:
        added = memory.added_since(seen)
        seen = memory.additions
        if added:
            new = completed(hashed_between(added, first, command.last))
            hashed, start = sorted((*hashed[start:], *new)), 0
        watches, start = _watches(hashed, start, memory)
        last = hashed[start][0] - 1 if start < len(hashed) else command.last
        yield WatchesStated(first, last, watches, at)
        first = last + 1


def _watches(
    hashed: Sequence[tuple[int, str]], start: int, memory: RegisterMemory
) -> tuple[tuple[StatedWatch, ...], int]:
    """Return as many watches as fit one fact, and where the next one starts."""
    watches: dict[str, Watch] = {}
    size, end = 0, start
    while end < len(hashed) and (size < MAX_STATED or hashed[end][0] == hashed[end - 1][0]):
        url = hashed[end][1]
        watch = memory.of(url).watch()
        if watch is not None and url not in watches:
            watches[url] = watch
            size += 1 + sum(map(view_weight, watch.views))
        end += 1
    return tuple(StatedWatch(url, watch) for url, watch in watches.items()), end
