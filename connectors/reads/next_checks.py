"""The time at which the page of a subscription is fetched next."""

from collections.abc import Callable
from dataclasses import dataclass

from connectors.stores.pages import ListedSubscription

NextSlot = Callable[[str, int, int], int]
"""Returns the next due time (ms) of a URL; called with interval (s) and current time (ms)."""
Pause = Callable[[ListedSubscription], int]
"""Returns for how long (ms) after its last check a page is left alone."""


@dataclass(frozen=True, slots=True)
class NextChecks:
    """Computes due times; ``clock`` returns epoch ms."""

    next_slot: NextSlot
    pause_ms: Pause
    clock: Callable[[], int]

    def of(self, listed: ListedSubscription) -> int | None:
        """Return the next due time of a subscription (epoch ms), None without any."""
        subscription = listed.subscription
        if listed.interval is None or subscription.paused:
            return None
        after = max(self.clock(), (listed.last_check or 0) + self.pause_ms(listed))
        # A shorter interval of others would show that they watch, too.
        return self.next_slot(subscription.url, subscription.options.interval, after)
