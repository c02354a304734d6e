"""Sends to percolate: subscriptions for several pages, and changes of these pages."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

import structlog

from schemas.records.changes import DocumentChanged
from schemas.records.pages import is_pages
from schemas.records.percolations import MAX_WATCHER_TAGS, DropQuery, Percolate, StoreQuery, Watcher
from schemas.records.subscriptions import Subscription
from schemas.records.topics import PERCOLATIONS
from streams.agents.match.register.memory import RegisterMemory
from streams.matching.change_words import ChangeWords
from streams.matching.terms.notifying import sent_change
from streams.matching.terms.terms import change_terms, placed
from streams.values.lifetimes import seen_at
from streams.values.outcome import Outcome, Send, in_parts
from streams.values.steps import Steps

log = structlog.get_logger()

STEP = 5_000
"""Subscriptions per step."""
MANAGERS_STEP = 200
"""Managers with their interests per step."""
MAX_WATCHERS = 50
"""Managers in a message, each with up to 200 tags, for a message below the topic's 16 MB."""


class Placing:
    """Sends subscriptions for several pages to the partitions of their terms."""

    def __init__(self, partitions: int, language: Callable[[str], str]) -> None:
        """Each topic has ``partitions``; ``language`` is as in ``MatchProcessor``."""
        self.partitions = partitions
        self._language = language

    def sends(
        self, before: Subscription | None, after: Subscription | None, at: int
    ) -> Iterator[Send]:
        """Yield the commands for percolate to match a subscription in its state after a request.

        The request came ``at`` a time (epoch ms).
        """
        old, new = (
            placed(each, self.partitions, self._language) if each and is_pages(each.url) else {}
            for each in (before, after)
        )
        if before == after or not (old or new):
            return
        for partition, query in new.items():
            since = at if old else 0
            yield Send(PERCOLATIONS.name, None, replace(query, since=since), partition)
        # Any partition may still have what is leaving since an earlier request.
        for partition in range(self.partitions if old else 0):
            if partition in new:
                continue
            assert before is not None, "there it was, or it was never"
            left: StoreQuery | DropQuery = DropQuery(before.id)
            if after is not None and partition in old:
                left = replace(old[partition], subscription=after, since=at, leaving=True)
            yield Send(PERCOLATIONS.name, None, left, partition)


def percolations(
    change: DocumentChanged,
    memory: RegisterMemory,
    words: ChangeWords,
    watches: Callable[[Subscription], bool],
    partitions: int,
) -> Iterator[Outcome]:
    """Send a change to where its watchers have subscriptions for several pages, in parts.

    ``watches`` says whether a subscription is a watch of the changed page by its manager.
    """
    watchers = yield from in_parts(_watchers(change, memory, watches))
    if not watchers:
        return
    terms = yield from in_parts(change_terms(words, partitions, blocks=False))
    blocks = terms
    if memory.interests.looks_into_blocks([each.manager for each in watchers]):
        blocks = yield from in_parts(change_terms(words, partitions, blocks=True))
    by_partition: defaultdict[int, list[Watcher]] = defaultdict(list)
    for number, watcher in enumerate(watchers, 1):
        found = memory.interests.partitions(watcher.manager, terms, blocks)
        for each in (yield from in_parts(found)):
            by_partition[each].append(watcher)
        if number % MANAGERS_STEP == 0:
            yield Outcome()
    plain = sent_change(change)
    for partition, several in sorted(by_partition.items()):
        for start in range(0, len(several), MAX_WATCHERS):
            command = Percolate(plain, tuple(several[start : start + MAX_WATCHERS]))
            yield Outcome((Send(PERCOLATIONS.name, None, command, partition),))


def _watchers(
    change: DocumentChanged, memory: RegisterMemory, watches: Callable[[Subscription], bool]
) -> Steps[list[Watcher]]:
    """Return the managers of the page with an interest, and the tags of their subscriptions."""
    tags: dict[str, set[str]] = {}
    known, seen = memory.of(change.url), seen_at(change)
    managers = memory.interests.managers(known.managers(seen))
    if not managers:
        return []
    subscriptions = [each.subscription for each in known.values()]
    subscriptions += known.ended_after(seen)
    for number, each in enumerate(subscriptions, 1):
        if each is not None and each.manager in managers and watches(each):
            tags.setdefault(each.manager, set()).update(each.options.tags)
        if number % STEP == 0:
            yield
    if any(len(found) > MAX_WATCHER_TAGS for found in tags.values()):
        log.warning(
            "more tags of one page than are compared", url=change.url, limit=MAX_WATCHER_TAGS
        )
    return [
        Watcher(manager, tuple(sorted(found)[:MAX_WATCHER_TAGS]))
        for manager, found in sorted(tags.items())
    ]
