"""Watches as their list and their pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from connectors.display.wanted import wanted
from connectors.page.watch.sparklines import Sparkline, Sparklines
from connectors.page.watch.states import ShownState, shown_state
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription
from schemas.records.pages import is_pages, pages_text
from schemas.records.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class ShownWatch:
    """A watch with its state. Times are epoch ms.

    The title is that of the page, or names the pages of a watch of several.
    """

    subscription: Subscription
    title: str
    has_several_pages: bool
    state: ShownState
    wanted: tuple[str, ...]
    last_check: int | None
    next_check: int | None
    changes: Sparkline


@dataclass(frozen=True, slots=True)
class ShownWatches:
    """Adds to watches what the store does not list; ``max_failures`` is the deployment's."""

    next_checks: NextChecks
    sparklines: Sparklines
    max_failures: int

    async def of(self, watches: Sequence[ListedSubscription]) -> list[ShownWatch]:
        """Return each watch as it is shown now."""
        return list(map(self._shown, watches, await self.sparklines.of(watches)))

    def _shown(self, listed: ListedSubscription, changes: Sparkline) -> ShownWatch:
        subscription = listed.subscription
        several = is_pages(subscription.url)
        return ShownWatch(
            subscription=subscription,
            title=pages_text(subscription.url) if several else listed.title,
            has_several_pages=several,
            state=shown_state(listed, self.max_failures, self.next_checks.clock()),
            wanted=wanted(subscription),
            last_check=listed.last_check,
            next_check=self.next_checks.of(listed),
            changes=changes,
        )
