"""Effects of the fetch agent: the store, the web, the broker, the clock."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemas.records.answers import GetPage
from schemas.records.documents import Document, PageWait, Unpublished
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import Work
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.page_links import PageLinks
from streams.agents.fetch.politeness.budgets import VisitBudgets
from streams.values.outcome import Publish


class Snapshots(Protocol):
    """The documents of the store, as the fetch agent needs them; a port.

    A document has a state in each of its views, by the view's id; each is written by itself.
    Once a method has returned, what it wrote survives a power loss; a document is written
    completely or not at all. Every method may raise OSError. Its write may have happened
    nevertheless, because an answer can get lost, so every call may be repeated.
    """

    async def slots(self, url: str, watch: str) -> dict[str, int]:
        """Load the last due time of each view of which a state for this watch is stored."""

    async def document(self, url: str, view: str = "") -> Document | None:
        """Load the stored state of a document in a view."""

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """Store a state if the stored version is the expected version (0: none is stored).

        Returns whether it was stored. The store keeps the text that is replaced in its history, if
        it was opened to keep one.
        """

    async def clear_unpublished(self, url: str, version: int, view: str = "") -> None:
        """Drop the unpublished records of exactly this version, and nothing else.

        They may still be there after a power loss, or when the process is killed a moment later:
        to publish them again is harmless.
        """

    async def unpublished(self) -> list[Unpublished]:
        """Load the records that documents have yet to publish, ordered by URL and view."""

    async def forget(
        self, url: str, watch: str, view: str | None = None, before: int | None = None
    ) -> None:
        """Delete a document's states that belong to this watch, or only that of a view.

        One that was last read for the due time ``before`` (epoch ms) or a later one is kept.
        """

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """Note when documents were last fetched: (url, watch, epoch ms); they wait no longer."""

    async def record_waits(self, begun: Sequence[PageWait], ended: Sequence[str]) -> None:
        """Note which documents wait, and that those with these URLs wait no longer.

        One that waited before for the same watch keeps the earlier time.
        """


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that a visit does apart from deciding.

    ``get`` requests a URL, with the ETag and Last-Modified of the last response, the statuses
    with which a response has a body as it does with a 2xx, and the request part of the views.
    ``examine`` computes the states after a page, as the function of that name does. Both raise
    one of ``failures`` when the document cannot be read, ``examine`` also when it is too hard in
    so many views, and Postponed when that is not its fault.
    ``links`` finds the links of a page, for crawls, and raises the same.
    ``clock`` returns epoch ms, ``pause`` the seconds for which a host (``host[:port]``) is left
    alone after a visit. ``pause_ms`` returns the milliseconds for which a page with so many
    failures and that interval (s) is left alone. ``budgets`` has what pages with a longest interval
    ask for. ``is_outdated`` says of a reader, named with its version, that there is a newer one.
    Bodies are kept with snapshots up to ``keep_bodies`` bytes.
    """

    snapshots: Snapshots
    get: GetPage
    examine: Callable[[Sequence[Work], FetchedPage], Awaitable[Sequence[Document | Exception]]]
    links: Callable[[DueView, FetchedPage], Awaitable[PageLinks]]
    failures: tuple[type[Exception], ...]
    publish: Publish
    clock: Callable[[], int]
    pause: Callable[[str], float]
    max_failures: int
    pause_ms: Callable[[int, int], int]
    budgets: VisitBudgets = field(default_factory=VisitBudgets)
    is_outdated: Callable[[str], bool] = lambda _: False
    keep_bodies: int = 0
