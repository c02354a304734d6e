"""The store as the API needs it: one port for each subject.

The ports of the agents are where the agents are: ``streams.agents.fetch.effects.Snapshots`` and
``streams.agents.record.ReadSide``; that of a copy is in ``connectors.stores.copying``. Every
method of every port may raise StoreUnavailable.

A page may be shorter than ``limit`` although another one follows. A method that takes a
cursor ``after`` raises ValueError for one that no page ended with.
"""

from collections.abc import Collection, Sequence
from typing import Any, Literal, Protocol

from connectors.stores.pages import (
    ChangeSearch,
    ChangesInSpan,
    DocumentSpan,
    FoundChange,
    ListedSubscription,
    ListingPage,
    NewsSearch,
    SubscriptionSearch,
)
from schemas.records.changes import DocumentChanged
from schemas.records.credentials import SealedCredentials
from schemas.records.documents import Snapshot
from schemas.records.history import ChangeHistory
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberPoint
from schemas.records.subscriptions import Receiver, Subscription

ClientFacts = Literal[
    "notification", "delivery", "client", "proof", "page", "removed_page", "suppressed"
]
"""The facts about a client: notifications, what became of them, that it is gone, or was asked.

Of a crawl, by its id: the pages that it covers, and those that it has removed. Of no client, by an
empty name: what was suppressed.
"""
PAGES_OF_CRAWL: tuple[ClientFacts, ...] = "page", "removed_page"


class SubscriptionReader(Protocol):
    """The subscriptions of managers."""

    async def page(
        self, manager: str, after: str | None, limit: int, tag: str = ""
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first, from the cursor ``after`` on.

        With a ``tag``, in canonical form, only those that have it.
        """

    async def search(
        self, manager: str, asked: SubscriptionSearch, after: str | None, limit: int
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions that a search asks for, newest first.

        One call looks at MAX_SEARCHED subscriptions at most.
        """

    async def tags(self, manager: str, limit: int) -> list[str]:
        """List the first tags of a manager's subscriptions that have not ended, sorted.

        They are those of the newest MAX_SEARCHED subscriptions, or of more.
        """

    async def get(self, manager: str, subscription: str) -> ListedSubscription | None:
        """Look up one of a manager's subscriptions by its id."""

    async def of_document(self, manager: str, url: str, limit: int) -> list[ListedSubscription]:
        """List a manager's newest subscriptions of a canonical URL, also those that have ended."""

    async def crawls(self, manager: str, limit: int) -> list[Subscription]:
        """List a manager's newest subscriptions that crawl, also those that have ended."""

    async def count_active(self, manager: str, without: Collection[str] = ()) -> int:
        """Count a manager's subscriptions that have not ended, except those with these ids."""

    async def active_id(
        self, manager: str, url: str, receiver: Receiver, name: str = ""
    ) -> str | None:
        """Look up the id of a receiver's subscription of a canonical URL, by its name, if any."""


class FactReader(Protocol):
    """The facts that were recorded: changes, notifications, deliveries."""

    async def changes(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Any] | None:
        """List a document's DocumentChanged and DocumentUnreachable, newest first.

        Those in the view of one ``subscription`` (its id), else of the manager's oldest that
        has not ended; only from the time in which the manager had subscriptions with that
        view. Those that the subscription had in earlier views are among them. None if the
        manager had no subscription that is still listed.
        """

    async def change(self, manager: str, url: str, change: str, subscription: str) -> Any | None:
        """Load one of these changes by its id, in the view of one subscription (its id)."""

    async def history(
        self, manager: str, url: str, view: str, since: int, after: str | None, limit: int
    ) -> ChangeHistory | None:
        """List the same changes of a document in a view (its id), from a time (epoch ms) on.

        None if the manager had no subscription with that view that is still listed.
        """

    async def change_counts(self, spans: Sequence[DocumentSpan]) -> list[ChangesInSpan]:
        """Count the newest changes (MAX_COUNTED) of each span by day.

        What ``changes`` lists counts; a day without any is not there.
        """

    async def notification(self, manager: str, notification: str) -> Notification | None:
        """Load one of a manager's notifications by its id."""

    async def of_client(
        self, kind: ClientFacts, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """List the facts of one kind about a manager's client, newest first."""

    async def newest_of_clients(
        self, kinds: Collection[ClientFacts], manager: str, clients: Collection[str]
    ) -> list[Any]:
        """Load the newest fact of each of some kinds about each of a manager's clients."""

    async def news(
        self, manager: str, asked: NewsSearch, after: str | None, limit: int
    ) -> ListingPage[Notification]:
        """List a manager's notifications that a search asks for, newest first.

        One call looks at MAX_SEARCHED notifications at most.
        """

    async def with_ids(
        self, kind: ClientFacts, manager: str, clients: Collection[str], ids: Collection[str]
    ) -> ListingPage[Any]:
        """Load those of some clients with these ids of notifications, newest first, in one page."""


class ChangeSearcher(Protocol):
    """The index of the words of changes."""

    async def find(
        self, manager: str, asked: ChangeSearch, after: str | None, limit: int
    ) -> ListingPage[FoundChange]:
        """List the changes with some terms that a manager's own watches saw, newest first.

        Those of a subscription while it had the view, and of the pages of its crawl while these
        were covered.
        """


class TextReader(Protocol):
    """The snapshots of documents, current and older ones.

    Each is in a view: that of one ``subscription`` (its id), else of the manager's oldest
    that has not ended.
    """

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """List the documents that a manager watches, by URL, with their current snapshots.

        Any text is a cursor here.
        """

    async def snapshots(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Snapshot] | None:
        """List a document's snapshots, newest first.

        Only those that were current while the manager had subscriptions of it; None if it
        had none that is still listed.
        """

    async def snapshot(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, str] | None:
        """Load that of these snapshots which was current at a time (epoch ms), with its text.

        Without a time, the newest.
        """

    async def differences(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """Load that snapshot, and the parts of the change that led to it, if recorded.

        Without them if the change came before the manager had subscriptions of the document:
        they hold what was removed then.
        """

    async def picture(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> bytes | None:
        """Load the picture (JPEG) that was taken with that snapshot.

        Only those of the newest snapshot and of the one before it are kept.
        """

    async def numbers(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[NumberPoint] | None:
        """List what the number of a document has been, newest first.

        Only what held while the manager had subscriptions of it; None as for ``snapshots``.
        """


class StoreHealth(Protocol):
    """Whether the store can be written."""

    @property
    def location(self) -> str:
        """The location of the store, for people."""

    async def ping(self) -> None:
        """Write to the store; raises StoreUnavailable."""


class CredentialsStore(Protocol):
    """Credentials of managers, encrypted before they come here; a name has no white space."""

    async def all_of(self, manager: str) -> list[SealedCredentials]:
        """List a manager's credentials by name, without what is encrypted."""

    async def get(self, manager: str, name: str) -> SealedCredentials | None:
        """Load credentials, None if there are none."""

    async def put(self, row: SealedCredentials, most: int) -> bool:
        """Insert credentials or replace those of the same name.

        Returns whether they are stored: not if the manager has ``most`` others.
        """

    async def renew(self, row: SealedCredentials) -> bool:
        """Replace what is encrypted if nobody has since: the row's version is one higher.

        Returns whether it was replaced; not if they were set again or removed, either.
        """

    async def note_use(self, manager: str, name: str, at: int) -> None:
        """Note when credentials were used (epoch ms)."""

    async def remove(self, manager: str, name: str) -> bool:
        """Delete credentials; returns whether there were any."""
