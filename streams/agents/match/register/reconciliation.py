"""States the watches of the register again, for a comparison by the ticker.

A lost fact, as when retention deleted an unread fact, would otherwise leave a subscription without
fetches, or a watch without a subscription.
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
"""Watches, and the weights of their views, in a fact, which stays below 1 MB."""


def statement_due(now: int) -> StateWatches:
    """Return the watches to state at a time (epoch ms); the result changes every PERIOD_MS."""
    number = now // PERIOD_MS % STATEMENTS
    size = LAST_HASH + 1
    return StateWatches(number * size // STATEMENTS, (number + 1) * size // STATEMENTS - 1)


def stated(
    command: StateWatches, memory: RegisterMemory, at: int
) -> Iterator[WatchesStated | None]:
    """Yield facts for all hashes of a command, and None between two steps.

    Each names all watches of its moment: a reader of all facts so far, in order, may forget the
    others.
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
    """Return the watches of a fact, and the begin of the next."""
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
