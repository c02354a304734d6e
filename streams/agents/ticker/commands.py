"""The commands of the ticker to fetch: what is due in a partition at one time goes together."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from schemas.records.fetches import Due, FetchDue
from streams.values.outcome import Send
from streams.values.views import view_weight

MAX_DUE = 300
"""The weights of the views in one command, or all of one URL.

It stays below Kafka's 1 MB even if all URLs and content types are as long as allowed."""

Place = tuple[str, int | None]
"""A topic and its partition."""


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
    waiting: defaultdict[Place, list[Due]] = defaultdict(list)
    for send in sends:
        place = send.topic, send.partition
        if isinstance(send.record, FetchDue):
            waiting[place] += send.record.due
        else:
            yield from _commands(place, waiting.pop(place, ()))
            yield send
    for place, due in waiting.items():
        yield from _commands(place, due)


def _commands(place: Place, several: Iterable[Due]) -> Iterator[Send]:
    topic, partition = place
    for part in _parts(several):
        yield Send(topic, None, FetchDue(part), partition)


def _parts(several: Iterable[Due]) -> Iterator[tuple[Due, ...]]:
    part: list[Due] = []
    size = 0
    for due in several:
        weight = sum(map(view_weight, due.views))
        if part and size + weight > MAX_DUE:
            yield tuple(part)
            part, size = [], 0
        part.append(due)
        size += weight
    if part:
        yield tuple(part)
