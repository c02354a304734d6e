"""Finds, among many subscriptions of one document, those that a change may concern.

A presearcher, as for stored queries elsewhere: each keyword stands under its
rarest word (docs/decisions/0007). What is found is a superset of what matches.
"""

from array import array
from collections import deque
from collections.abc import Iterable

import numpy as np

from schemas.facts import Subscription
from streams.core.index_recent import Recent
from streams.core.index_segment import Postings, Segment, hashed
from streams.core.index_terms import UNDETERMINED, ChangeWords, Kind, kind, terms
from streams.core.stemming import has_stemmer

_FEW = 64
_MANY = 65_536
"""Subscriptions of a segment at most: it bounds how long a change of the index takes."""
_BUCKETS = 512


class Index:
    """The subscriptions of one document, by the words that concern them.

    Those of late are in dicts, the others packed in segments.
    """

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Begin with these."""
        self._recent = Recent()
        self._segments: deque[Segment] = deque()
        self._gone: set[int] = set()
        self._kinds: set[Kind] = set()
        self._frequencies = array("I", bytes(4 * _BUCKETS))
        for subscription in subscriptions:
            self._take(subscription)
            if len(self._recent) >= _MANY:
                self._pack()
        self._pack()

    def __len__(self) -> int:
        return sum(map(len, self._segments)) + len(self._recent) - len(self._gone)

    def add(self, subscription: Subscription) -> None:
        """Find a subscription from now on; it is told from others by its identity."""
        if id(subscription) in self._gone:
            self._gone.remove(id(subscription))
            return
        self._take(subscription)
        if len(self._recent) > min(_MANY // 2, max(_FEW, len(self) // 16)):
            self._pack()

    def remove(self, subscription: Subscription) -> None:
        """Find a subscription that was added no more."""
        self._gone.add(id(subscription))
        if len(self._gone) > max(_FEW, len(self) // 3):
            self._purge()

    def find(self, words: ChangeWords) -> list[Subscription]:
        """Give every subscription that a change with these words concerns, and a few others."""
        language = words.language if has_stemmer(words.language) else UNDETERMINED
        forms = words.marked(self._kinds)
        wanted = np.unique(hashed(forms))
        found = {id(each): each for each in self._recent.find(forms, language)}
        for segment in self._segments:
            found.update((id(each), each) for each in segment.find(wanted, language))
        return [each for name, each in found.items() if name not in self._gone]

    def _take(self, subscription: Subscription) -> None:
        self._kinds.add(kind(subscription))
        self._recent.add(subscription, terms(subscription, self._frequency))

    def _frequency(self, word: str) -> int:
        """Count roughly how often a word was asked about: words that many share stand out."""
        bucket = hash(word) % _BUCKETS
        self._frequencies[bucket] += 1
        return self._frequencies[bucket]

    def _pack(self) -> None:
        """Pack what came of late."""
        recent, self._recent = self._recent, Recent()
        if len(recent):
            self._keep(recent.subscriptions, Postings.of(recent))

    def _purge(self) -> None:
        """Forget what was removed from one segment, or from what came of late.

        One at a time, as each takes a while; the next removals do the others.
        """
        self._pack()
        if self._segments:
            segment = self._segments.popleft()
            self._keep(segment.subscriptions, segment.postings())

    def _keep(self, subscriptions: list[Subscription], postings: Postings) -> None:
        """Put what is not gone into the last segment if there is room, else into one of its own."""
        if self._segments and len(self._segments[-1]) + len(subscriptions) <= _MANY:
            last = self._segments.pop()
            postings = last.postings().and_then(postings, len(last))
            subscriptions = last.subscriptions + subscriptions
        if not self._gone.isdisjoint(map(id, subscriptions)):
            kept = np.array([id(each) not in self._gone for each in subscriptions], bool)
            postings = postings.only(kept)
            self._gone.difference_update(map(id, subscriptions))
            subscriptions = [
                each for each, stays in zip(subscriptions, kept.tolist(), strict=True) if stays
            ]
        if subscriptions:
            self._segments.append(Segment(subscriptions, postings))
