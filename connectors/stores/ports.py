"""The store for the API: a port for each subject.

The ports of the agents are among the agents: ``streams.agents.fetch.effects.Snapshots`` and
``streams.agents.record.ReadSide``; the port of a copy is in ``connectors.stores.copying``. Every
method of every port may raise StoreUnavailable.

A page may be shorter than ``limit`` although another page follows. A method with a cursor ``after``
raises ValueError for a cursor of no page.
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
"""The facts about a client: notifications, their deliveries, verifications, its end.

Of a crawl, by its id: its covered pages, and its removed pages. Of no client, by an empty name:
suppressed notifications."""
PAGES_OF_CRAWL: tuple[ClientFacts, ...] = "page", "removed_page"


class SubscriptionReader(Protocol):
    """The subscriptions of managers."""

    async def page(
        self, manager: str, after: str | None, limit: int, tag: str = ""
    ) -> ListingPage[ListedSubscription]:
        """List a manager's subscriptions, oldest first, from the cursor ``after`` on.

        With a ``tag``, in canonical form, only subscriptions with the tag.
        """

    async def search(
        self, manager: str, asked: SubscriptionSearch, after: str | None, limit: int
    ) -> ListingPage[ListedSubscription]:
        """List the subscriptions of a manager which a search finds, newest first.

        A call reads MAX_SEARCHED subscriptions at most.
        """

    async def tags(self, manager: str, limit: int) -> list[str]:
        """List the first tags of a manager's present subscriptions, sorted.

        They are those of the newest MAX_SEARCHED subscriptions, or of more.
        """

    async def get(self, manager: str, subscription: str) -> ListedSubscription | None:
        """Load a subscription of a manager by its id."""

    async def of_document(self, manager: str, url: str, limit: int) -> list[ListedSubscription]:
        """List a manager's newest subscriptions to a canonical URL, ended subscriptions too."""

    async def crawls(self, manager: str, limit: int) -> list[Subscription]:
        """List a manager's newest crawl subscriptions, ended subscriptions too."""

    async def count_active(self, manager: str, without: Collection[str] = ()) -> int:
        """Count a manager's subscriptions which have not ended, except for these ids."""

    async def active_id(
        self, manager: str, url: str, receiver: Receiver, name: str = ""
    ) -> str | None:
        """Look up the id of a receiver's subscription of a canonical URL, by its name, if any."""


class FactReader(Protocol):
    """The recorded facts: changes, notifications, deliveries."""

    async def changes(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Any] | None:
        """List a document's DocumentChanged and DocumentUnreachable, newest first.

        Changes in the view of a ``subscription`` (its id), else of the manager's oldest active
        subscription; only from the time of the manager's subscriptions with the view. Changes in
        earlier views of the subscription are among them. None if the manager has no listed
        subscription.
        """

    async def change(self, manager: str, url: str, change: str, subscription: str) -> Any | None:
        """Load a change by its id, in the view of a subscription (its id)."""

    async def history(
        self, manager: str, url: str, view: str, since: int, after: str | None, limit: int
    ) -> ChangeHistory | None:
        """List the same changes of a document in a view (its id), from a time (epoch ms) on.

        None if the manager has no listed subscription with the view.
        """

    async def change_counts(self, spans: Sequence[DocumentSpan]) -> list[ChangesInSpan]:
        """Count the newest changes (MAX_COUNTED) of each span by day.

        Counts as ``changes`` lists; days without changes are left out.
        """

    async def notification(self, manager: str, notification: str) -> Notification | None:
        """Load a notification of a manager by its id."""

    async def of_client(
        self, kind: ClientFacts, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """List the facts of a kind about a manager's client, newest first."""

    async def newest_of_clients(
        self, kinds: Collection[ClientFacts], manager: str, clients: Collection[str]
    ) -> list[Any]:
        """Load the newest fact of each of some kinds about each of a manager's clients."""

    async def news(
        self, manager: str, asked: NewsSearch, after: str | None, limit: int
    ) -> ListingPage[Notification]:
        """List a manager's notifications that a search asks for, newest first.

        A call reads MAX_SEARCHED notifications at most.
        """

    async def with_ids(
        self, kind: ClientFacts, manager: str, clients: Collection[str], ids: Collection[str]
    ) -> ListingPage[Any]:
        """Load the facts of some clients with these ids of notifications, in one page."""


class ChangeSearcher(Protocol):
    """The index of the words of changes."""

    async def find(
        self, manager: str, asked: ChangeSearch, after: str | None, limit: int
    ) -> ListingPage[FoundChange]:
        """List the changes with some terms in the pages of a manager, newest first.

        Changes of a subscription while the subscription had the view, and of the pages covered by
        its crawl.
        """


class TextReader(Protocol):
    """The snapshots of documents, current and older ones.

    Each text is in a view: the view of a ``subscription`` (its id), else of the manager's oldest
    subscription not ended.
    """

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """List a manager's watched documents by URL, with their current snapshots.

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

        Only snapshots current while the manager had subscriptions to the document; None without a
        listed subscription.
        """

    async def snapshot(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, str] | None:
        """Load the snapshot current at a time (epoch ms), with its text.

        Without a time, the newest.
        """

    async def differences(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """Load the snapshot with the parts of its change, if recorded.

        Without the parts if the change came before the manager's subscriptions: they hold the text
        removed then.
        """

    async def picture(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> bytes | None:
        """Load the picture (JPEG) of the snapshot.

        Pictures are kept for the newest snapshot and the snapshot before.
        """

    async def numbers(
        self,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[NumberPoint] | None:
        """List the numbers of a document, newest first.

        Only numbers held while the manager had subscriptions to the document; None as for
        ``snapshots``.
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
        """List a manager's credentials by name, without their encrypted parts."""

    async def get(self, manager: str, name: str) -> SealedCredentials | None:
        """Load credentials, None if there are none."""

    async def put(self, row: SealedCredentials, most: int) -> bool:
        """Insert credentials or replace those of the same name.

        Returns whether they are stored: not if the manager has ``most`` others.
        """

    async def renew(self, row: SealedCredentials) -> bool:
        """Replace the encrypted part, and increment the version, if nobody has replaced it since.

        Returns whether the part was replaced; not if the credentials were set again or removed,
        either.
        """

    async def note_use(self, manager: str, name: str, at: int) -> None:
        """Note when credentials were used (epoch ms)."""

    async def remove(self, manager: str, name: str) -> bool:
        """Delete credentials; returns whether there were any."""
