"""The commands of the ticker: for fetch or for render, what is due at one time together."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from schemas.records.fetches import Due, FetchDue
from schemas.records.views import WatchedView
from streams.values.outcome import Send
from streams.values.parts import parts
from streams.values.views import view_weight

MAX_DUE = 300
"""The weights of the views in one command, or all of one URL.

It stays below Kafka's 1 MB even if all URLs and content types are as long as allowed."""


def by_agent(due: Due) -> tuple[Due | None, Due | None]:
    """Split what is due into what fetch reads and what render reads.

    Each part knows the ids of the other's views, which it must not take for unused.
    """
    rendered = [each for each in due.views if _is_rendered(each)]
    if not rendered:
        return due, None
    plain = [each for each in due.views if not _is_rendered(each)]
    return _part(due, plain, rendered), _part(due, rendered, plain)


def has_rendered(views: Iterable[WatchedView]) -> bool:
    """Return whether one of the views needs a browser."""
    return any(map(_is_rendered, views))


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
    def weight(due: Due) -> int:
        return sum(map(view_weight, due.views))

    return (replace(command, record=FetchDue(part)) for part in parts(several, weight, MAX_DUE))


def _is_rendered(watched: WatchedView) -> bool:
    return watched.view.request.rendering is not None


def _part(due: Due, own: list[WatchedView], others: list[WatchedView]) -> Due | None:
    ids = tuple(each.id for each in others)
    return replace(due, views=tuple(own), elsewhere=(*due.elsewhere, *ids)) if own else None
