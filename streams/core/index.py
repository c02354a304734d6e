"""Finds, among many subscriptions of one document, those that a change may concern.

A presearcher, as for stored queries elsewhere: each keyword stands under its
rarest word (docs/decisions/0007). What is found is a superset of what matches.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import numpy as np

from schemas.facts import Subscription
from streams.core.index_bulk import NONE, Bulk
from streams.core.index_recent import Recent
from streams.core.index_terms import UNDETERMINED, ChangeWords, Kind, Term, terms
from streams.core.index_vocabulary import Ints

_FEW = 1024
_BUCKETS = 1024


class Postings:
    """Which places stand under which words of one kind: a packed bulk, and what came since."""

    def __init__(self) -> None:
        """Start empty."""
        self._bulk = Bulk()
        self._recent = Recent()

    def add(self, term: Term, place: int) -> None:
        """Put a place under a term."""
        self._recent.add(term, place)
        if len(self._recent) > max(_FEW, len(self._bulk) // 16):
            self._merge()

    def find(self, forms: AbstractSet[str], language: str) -> set[int]:
        """Give the places under words that have one of these forms in a language."""
        return {*self._bulk.find(forms, language).tolist(), *self._recent.find(forms, language)}

    def renumber(self, places: Ints) -> None:
        """Give each place its new number, and forget those whose new number is NONE."""
        if len(self._recent):
            self._merge()
        self._bulk.renumber(places)

    def _merge(self) -> None:
        self._bulk.merge(self._recent)
        self._recent = Recent()


class Index:
    """The subscriptions of one document, by the words that concern them."""

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Begin with these."""
        self._subscriptions: list[Subscription] = []
        self._gone: set[int] = set()
        self._kinds: defaultdict[Kind, Postings] = defaultdict(Postings)
        self._frequencies = array("I", bytes(4 * _BUCKETS))
        for subscription in subscriptions:
            self.add(subscription)

    def add(self, subscription: Subscription) -> None:
        """Find a subscription from now on; it is told from others by its identity."""
        if id(subscription) in self._gone:
            self._gone.remove(id(subscription))
            return
        for kind, term in terms(subscription, self._frequency):
            self._kinds[kind].add(term, len(self._subscriptions))
        self._subscriptions.append(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Find a subscription that was added no more."""
        self._gone.add(id(subscription))
        if len(self._gone) > max(_FEW, len(self._subscriptions) // 4):
            self._purge()

    def find(self, words: ChangeWords) -> list[Subscription]:
        """Give every subscription that a change with these words concerns, and a few others."""
        places: set[int] = set()
        for kind, postings in self._kinds.items():
            language = words.language if kind.stemming else UNDETERMINED
            places.update(postings.find(words.forms(kind), language))
        found = (self._subscriptions[place] for place in places)
        return [each for each in found if id(each) not in self._gone]

    def _frequency(self, word: str) -> int:
        """Count roughly how often a word was asked about: words that many share stand out."""
        bucket = hash(word) % _BUCKETS
        self._frequencies[bucket] += 1
        return self._frequencies[bucket]

    def _purge(self) -> None:
        alive = np.array([id(each) not in self._gone for each in self._subscriptions], bool)
        places = np.where(alive, np.cumsum(alive) - 1, NONE).astype(np.int32)
        for postings in self._kinds.values():
            postings.renumber(places)
        self._subscriptions = [each for each in self._subscriptions if id(each) not in self._gone]
        self._gone.clear()
