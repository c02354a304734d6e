"""The subscriptions of one document, in an index for each reach that some of them have."""

from collections.abc import Iterable

from schemas.records.subscriptions import Subscription
from streams.matching.change_words import ChangeWords
from streams.matching.index.subscription_index import SubscriptionIndex
from streams.matching.stretches import reach_of
from streams.values.steps import Steps


class IndexByReach:
    """Finds the subscriptions that a change may concern, wherever they look for their keywords."""

    def __init__(self, subscriptions: Iterable[Subscription] = ()) -> None:
        """Index these subscriptions."""
        self._indexes: dict[str, SubscriptionIndex] = {}
        by_reach: dict[str, list[Subscription]] = {}
        for each in subscriptions:
            by_reach.setdefault(reach_of(each.options.scope), []).append(each)
        for reach, several in by_reach.items():
            self._indexes[reach] = SubscriptionIndex(several, reach)

    def add(self, subscription: Subscription) -> None:
        """Add a subscription, which later changes find."""
        reach = reach_of(subscription.options.scope)
        if reach not in self._indexes:
            self._indexes[reach] = SubscriptionIndex((), reach)
        self._indexes[reach].add(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; it must be the very object that was added."""
        self._indexes[reach_of(subscription.options.scope)].remove(subscription)

    def find_steps(self, words: ChangeWords) -> Steps[list[Subscription]]:
        """Return every subscription that a change concerns, and a few others, in steps.

        What comes or goes after this call makes no difference.
        """
        return _all([index.find_steps(words) for index in self._indexes.values()])


def _all(searches: Iterable[Steps[list[Subscription]]]) -> Steps[list[Subscription]]:
    found: list[Subscription] = []
    for search in searches:
        found += yield from search
    return found
