"""Effects of reprocessing: the store, readers, a thread, the clock."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document, KeptSnapshot
from schemas.records.subscriptions import Subscription
from streams.agents.fetch.due_view import DueView

if TYPE_CHECKING:
    from streams.agents.fetch.effects import Snapshots


class KeptPages(Protocol):
    """Pages that a store has kept, for all who watch them; a port.

    Every method may raise OSError.
    """

    async def pages(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        """List the URLs and view ids that somebody watches, in order, from after one on."""

    async def subscribers(self, url: str, view: str | None, limit: int) -> list[Subscription]:
        """List the oldest subscriptions of a page that have not ended, in a view or in all."""

    async def times(self, url: str, view: str, since: int, limit: int) -> list[int]:
        """List when (epoch ms) snapshots of a page began that held since a time.

        Also when changes were recorded since then. The newest of them, the oldest first.
        """

    async def snapshot(self, url: str, view: str, at: int) -> KeptSnapshot | None:
        """Load the snapshot that began at a time, None if it is not kept."""

    async def changes(self, url: str, view: str, at: int) -> list[DocumentChanged]:
        """Load the parts of the change recorded at a time."""

    async def notified(self, ids: Collection[str]) -> set[str]:
        """Return those of these ids under which a notification was recorded."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """A kept snapshot to read in a view, and the state after the one before it, if known."""

    snapshot: KeptSnapshot
    before: Document | None
    due: DueView


@dataclass(frozen=True, slots=True)
class Reread:
    """The reading of a body: the state ``after``, with the changes from the one before.

    None if it cannot be read, and ``problem`` says why. ``edits`` and ``difference`` are those of
    the kept text.
    """

    after: Document | None
    problem: str = ""
    body_sha256: str = ""
    edits: int = 0
    difference: str = ""
    changes: tuple[DocumentChanged, ...] = ()


@dataclass(frozen=True, slots=True)
class ReprocessEffects:
    """Effects of reprocessing a page.

    ``read`` reads a body as ``reprocess_reading.read_again`` does, in a process that may be
    killed. ``compute`` runs work in a thread. ``language`` is that of match; ``now`` returns epoch
    ms, ``seconds`` those of a clock that only counts.
    """

    pages: KeptPages
    documents: "Snapshots"
    read: Callable[[Rereading], Awaitable[Reread]]
    compute: Callable[[Callable[[], bool]], Awaitable[bool]]
    language: Callable[[str], str]
    now: Callable[[], int]
    seconds: Callable[[], float]
