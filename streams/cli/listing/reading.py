"""Reads the subscriptions that ``vokter list`` shows."""

from dataclasses import dataclass

from connectors.stores.opening import open_store
from connectors.stores.pages import ListedSubscription
from schemas.records.tags import canonical_tag
from streams.cli.setup.existing_store import check_store_exists
from streams.settings import Settings

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Filter:
    """The subscriptions that are listed; each text is found anywhere, in any case.

    With ``flapping_at`` a time (epoch ms), only those of documents that are flapping then. A
    ``tag`` is the whole one.
    """

    url: str = ""
    client: str = ""
    failing: bool = False
    lost: bool = False
    ended: bool = False
    flapping_at: int | None = None
    tag: str = ""

    def admits(self, listed: ListedSubscription) -> bool:
        """Return whether a subscription is listed."""
        subscription = listed.subscription
        return (
            self.url.casefold() in subscription.document_url.casefold()
            and self.client.casefold() in subscription.receiver.name.casefold()
            and (self.ended or listed.ended is None)
            and (not self.failing or listed.failures > 0)
            and (not self.lost or listed.lost_since is not None)
            and (self.flapping_at is None or listed.flapping_until > self.flapping_at)
        )


async def read_subscriptions(
    settings: Settings, manager: str, wanted: Filter
) -> list[ListedSubscription]:
    """Read a manager's subscriptions, oldest first; raises StoreRefused or StoreUnavailable."""
    check_store_exists(settings)
    store, tag = await open_store(settings.store_url), canonical_tag(wanted.tag)
    try:
        found: list[ListedSubscription] = []
        after: str | None = None
        while True:
            page = await store.subscriptions.page(manager, after, PAGE, tag)
            found += filter(wanted.admits, page.items)
            after = page.next
            if after is None:
                return found
    finally:
        await store.close()
