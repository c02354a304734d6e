"""What the stages and the API ask of a store, whichever it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from connectors.stores.tables import Key, Row, Table
from schemas.documents import Document, Snapshot, Unpublished
from schemas.facts import DocumentChanged, Fact, Subscription, Watch

Item = TypeVar("Item")
Told = Literal["notification", "delivery"]
"""What the history of a client has."""


class StoreUnavailable(OSError):
    """The store cannot do this now (locked, full, unreachable): try again later."""


class StoreRefused(Exception):
    """The store must not be opened from here; the text says why, and the remedy."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A subscription as ``GET /subscriptions`` lists it. Times are epoch ms.

    ``state`` is ``active``, ``paused``, ``cancelled`` or ``expired``; the latter two
    have ``ended``, the last one a ``reason``. ``watch`` is the one it
    lives on, None once that has ended; ``last_check``, ``failures`` and
    ``last_error`` are of the document on that watch.
    """

    subscription: Subscription
    state: str
    reason: str | None
    ended: int | None
    watch: Watch | None
    last_check: int | None
    failures: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class ListingPage(Generic[Item]):
    """One page of a listing; ``next`` is the cursor of the page after it, if any."""

    items: tuple[Item, ...]
    next: str | None


class Store(Protocol):
    """Snapshots of documents, and the read side of the facts.

    What has returned is on the disk, also after a power loss. Every method may
    raise StoreUnavailable; what it was to do may then be done all the same, for
    an answer can be lost on its way, and may be done again. A document is set
    wholly or not at all.
    """

    @property
    def identity(self) -> str:
        """Which store this is, the same wherever it is opened."""

    @property
    def place(self) -> str:
        """Where it is, for people."""

    async def document(self, url: str) -> Document | None:
        """The stored state of a document."""

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store ``document`` if the stored version is the expected one (0: none is stored).

        The text that it replaces is kept, if the store was opened to keep any.
        """

    async def clear_unpublished(self, url: str, version: int) -> bool:
        """Drop the records of exactly this version; all else of the document stays.

        Says whether there were any.
        """

    async def unpublished(self) -> list[Unpublished]:
        """All that any document still has to publish, ordered by URL."""

    async def forget(self, url: str, watch: str) -> None:
        """Delete a document's state if it belongs to this watch."""

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """Note when documents were last looked at: (url, watch, epoch ms)."""

    async def record(self, facts: Sequence[Fact]) -> None:
        """Bring the read side up to date with these facts, in their order.

        Facts may come again: an older one changes nothing, and a subscription
        that has ended stays ended. Commands are no matter of the read side.
        """

    async def subscriptions(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[Listed]:
        """One manager's subscriptions, oldest first, from the cursor ``after`` on.

        Raises ValueError for a cursor that is none.
        """

    async def subscription(self, manager: str, name: str) -> Listed | None:
        """One of a manager's subscriptions, by its id."""

    async def changes(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Any] | None:
        """A document's DocumentChanged and DocumentUnreachable, newest first.

        Only those of the time for which the manager has had subscriptions of it; None if
        none is listed. A page may be shorter than ``limit`` although another one follows.
        Raises ValueError for a cursor that is none.
        """

    async def told(
        self, kind: Told, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """The Notifications of a manager's client, or what came of them, newest first.

        Pages are as those of ``changes``.
        """

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """The documents that a manager watches, by URL, each with the snapshot that holds.

        Pages are as those of ``changes``, but every cursor is one.
        """

    async def snapshots(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Snapshot] | None:
        """A document's snapshots, newest first.

        Only those that held while the manager had subscriptions of it; None if none is
        listed. Pages and errors are as those of ``changes``.
        """

    async def snapshot(self, manager: str, url: str, at: int | None) -> tuple[Snapshot, str] | None:
        """The one of these snapshots that held at a time (epoch ms), or the newest; its text."""

    async def differences(
        self, manager: str, url: str, at: int | None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """That snapshot, and the parts of the change that it came with, as far as recorded."""

    async def count_active(self, manager: str) -> int:
        """How many subscriptions of a manager are active."""

    async def prune(self, before: int, former_before: int) -> None:
        """Delete the history and the subscriptions that ended before this time (epoch ms).

        Of former snapshots those go that were replaced before ``former_before``, and those
        that are more of a document than the store was opened for.
        """

    async def rows(self, table: Table, after: Key | None) -> list[Row]:
        """Some rows of a table, in the order of their keys, from behind one on."""

    async def put(self, table: Table, rows: list[Row]) -> None:
        """Insert rows; one that has the key of another takes its place."""

    async def noted_copy(self) -> str | None:
        """What was noted of a copy into this store that is not complete."""

    async def note_copy(self, state: str | None) -> None:
        """Note how far a copy into this store has come; None: it is complete."""

    async def ping(self) -> None:
        """Go to the store and back."""

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
