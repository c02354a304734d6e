"""The commands of the ticker to fetch: what is due in a partition at one time goes together."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from schemas.records.fetches import Due, FetchDue
from streams.values.outcome import Send
from streams.values.parts import parts
from streams.values.views import view_weight

MAX_DUE = 300
"""The weights of the views in one command, or all of one URL.

It stays below Kafka's 1 MB even if all URLs and content types are as long as allowed."""


def joined_commands(sends: Iterable[Send]) -> Iterator[Send]:
    """Join the commands to fetch that go to the same partition of a topic.

    Each partition of the ticker has pages of many hosts, so each commands something in many
    partitions of fetch. Joined, a worker sends a message or a few to each of them at a time,
    however many partitions are its own. What is commanded before a page is forgotten stays before
    that.

    >>> due = (Due("https://a.test/", "w", 0), Due("https://b.test/", "w", 0))
    >>> sends = [Send("fetches", None, FetchDue((each,)), partition=3) for each in due]
    >>> [len(send.record.due) for send in joined_commands(sends)]
    [2]
    """
    waiting: dict[tuple[str, int | None], tuple[Send, list[Due]]] = {}
    for send in sends:
        place = send.topic, send.partition
        if isinstance(send.record, FetchDue):
            waiting.setdefault(place, (send, []))[1].extend(send.record.due)
            continue
        if place in waiting:
            yield from _commands(*waiting.pop(place))
        yield send
    for command, due in waiting.values():
        yield from _commands(command, due)


def _commands(command: Send, several: Iterable[Due]) -> Iterator[Send]:
    return (replace(command, record=FetchDue(part)) for part in parts(several, _weight, MAX_DUE))


def _weight(due: Due) -> int:
    return sum(map(view_weight, due.views))
