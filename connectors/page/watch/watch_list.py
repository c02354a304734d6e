"""The list of watches, with a search, and the state of each."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.subscription_texts import wanted
from connectors.languages.texts import gettext
from connectors.page.filters import webhooks_of
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.watch.bulk_change import MOST, receiver_choices
from connectors.page.watch.list_query import (
    SORTS,
    WatchQuery,
    ordered,
    part_of,
    sifted,
    state_chips,
    tag_counts,
    title_of,
    watch_query,
)
from connectors.page.watch.receivers import Receivers, is_failing
from connectors.page.watch.sparklines import Sparkline, Sparklines
from connectors.page.watch.states import UNITS, ShownState, shown_state
from connectors.reads.next_checks import NextChecks
from connectors.serving.sending import SENDER
from connectors.stores.pages import ListedSubscription, ListingPage, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader
from schemas.records.credentials import SealedCredentials
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Subscription

ChannelsOf = Callable[[str], Awaitable[Sequence[SealedCredentials]]]
"""Lists a manager's channels."""
MAX_LISTED = 1_000
"""The most watches counted and sorted together; a link leads to older watches."""


@dataclass(frozen=True, slots=True)
class ShownWatch:
    """A watch with its state.

    Times are epoch ms.

    The title is its name, the title of the page, or names the pages of a watch of several. The
    state of its ``receiver`` is given for a failing receiver.
    """

    subscription: Subscription
    title: str
    has_several_pages: bool
    state: ShownState
    wanted: tuple[str, ...]
    last_check: int | None
    next_check: int | None
    changes: Sparkline
    receiver: ShownState | None


@dataclass(frozen=True, slots=True)
class ShownWatches:
    """Adds facts outside the store's list to watches; ``max_failures`` is the deployment's."""

    next_checks: NextChecks
    sparklines: Sparklines
    receivers: Receivers
    max_failures: int

    async def of(self, watches: Sequence[ListedSubscription]) -> list[ShownWatch]:
        """Return each watch with its present state for display."""
        if not watches:
            return []
        clients = webhooks_of(each for each in watches if each.ended is None)
        states = await self.receivers.states(watches[0].subscription.manager, clients)
        failing = {client: state for client, state in states.items() if is_failing(state)}
        return [
            self._shown(*each, failing)
            for each in zip(watches, await self.sparklines.of(watches), strict=True)
        ]

    def _shown(
        self, listed: ListedSubscription, changes: Sparkline, failing: Mapping[str, ShownState]
    ) -> ShownWatch:
        subscription = listed.subscription
        several = is_pages(subscription.url)
        return ShownWatch(
            subscription=subscription,
            title=title_of(listed),
            has_several_pages=several,
            state=shown_state(listed, self.max_failures, self.next_checks.clock()),
            wanted=wanted(subscription),
            last_check=listed.last_check,
            next_check=self.next_checks.of(listed),
            changes=changes,
            receiver=failing.get(subscription.receiver.client_url or ""),
        )


class WatchesHandler:
    """The handler of the list."""

    def __init__(
        self,
        subscriptions: SubscriptionReader,
        channels: ChannelsOf,
        watches: ShownWatches,
        views: Views,
    ) -> None:
        """Show ``subscriptions`` as ``watches`` shows them; some can be moved to ``channels``."""
        self._subscriptions = subscriptions
        self._channels = channels
        self._watches = watches
        self._views = views

    async def watches(self, request: web.Request) -> web.Response:
        """Answer with a page of the manager's subscriptions."""
        asked, manager = watch_query(request.query), caller(request).manager
        read = await self._read(manager, asked)
        found = await request.app[SENDER].render(partial(sifted, read.items, asked))
        tags = found.tags
        if asked.tag and read.next:  # of very many watches, the store knows those with a tag
            read = await self._read(manager, asked, asked.tag)
            found = sifted(read.items, asked)
        part = part_of(len(found.watches), asked)
        in_order = await self._ordered(found.watches, asked.sort)
        channels = [each.name for each in await self._channels(manager)]
        return await self._views.page(
            request,
            "watches",
            title=gettext("Watches"),
            asked=asked,
            states=state_chips(found.states, asked),
            tags=tag_counts(tags, asked),
            sorts=[
                (gettext(name), asked.address(sort=sort), sort == asked.sort)
                for sort, name in SORTS
            ],
            part=part,
            most=MOST,
            rows=await self._watches.of(in_order[part.first - 1 : part.last]),
            receivers=receiver_choices(read.items, channels),
            units=UNITS,
            query=request.query_string,
            is_empty=not read.items and not asked.is_filtered,
            newest=asked.address(after="") if asked.after else None,
            older=asked.address(after=read.next) if read.next else None,
        )

    async def _read(
        self, manager: str, asked: WatchQuery, tag: str = ""
    ) -> ListingPage[ListedSubscription]:
        search = SubscriptionSearch(asked.q, tag)
        reading = self._subscriptions.search(manager, search, asked.after or None, MAX_LISTED)
        return await listed(reading, LATER_PAGE)

    async def _ordered(
        self, watches: Sequence[ListedSubscription], sort: str
    ) -> list[ListedSubscription]:
        """Sort watches; only the order by changes reads those of all."""
        charts = await self._watches.sparklines.of(watches) if sort == "change" else []
        ids = [each.subscription.id for each in watches]
        last = {name: chart.last for name, chart in zip(ids, charts, strict=False)}
        next_check = self._watches.next_checks.of
        return ordered(watches, sort, lambda each: last.get(each.subscription.id), next_check)
