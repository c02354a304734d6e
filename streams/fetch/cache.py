"""What a worker caches of its documents, so that an unchanged page costs no access to the store.

A worker caches very many of them, so they are packed: objects take twice the memory.
"""

import marshal
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Self

from schemas.documents import Document
from streams.core.fetching.pace import Pace, pace_of
from streams.core.fetching.page_links import asked_since


@dataclass(frozen=True, slots=True)
class CachedState:
    """What a visit needs to know of a document in a view before it requests the page.

    ``slot`` (epoch ms) is the last due time that was handled, ``version`` that of the
    stored state, 0 if none is stored. The server asked not to be requested again before
    ``not_before`` (epoch ms). ``is_held`` says that a text was not believed at the last visit,
    ``misses`` is that of the document, ``links_for`` (epoch ms)
    for whom its links were published last. ``changes``, ``seconds``, ``changed_at`` (its ``last``)
    and ``prior`` are its ``Pace``. ``read_at`` is when its text was first
    read (epoch ms), ``reader`` what read it; of that text, ``published`` visits were published,
    the last one at ``published_at``.
    """

    view: str
    watch: str
    slot: int
    version: int
    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None
    changes: float = 0.0
    seconds: float = 0.0
    changed_at: int = 0
    prior: float = 0.5
    read_at: int = 0
    reader: str = ""
    # Of most pages none of these is set, and the cache leaves out what stands from here on.
    failures: int = 0
    not_before: int = 0
    is_held: bool = False
    misses: int = 0
    links_for: int = 0
    published: int = 0
    published_at: int = 0

    @property
    def pace(self) -> Pace:
        """How often the document changes."""
        return Pace(self.changes, self.seconds, self.changed_at, self.prior)

    @classmethod
    def of(cls, document: Document) -> Self:
        """Select from a stored state what is worth caching."""
        pace = pace_of(document.past)
        return cls(
            view=document.view,
            watch=document.watch,
            slot=document.slot,
            version=document.version,
            etag=document.etag,
            last_modified=document.last_modified,
            body_hash=document.body_hash,
            failures=document.failures,
            is_held=bool(document.held),
            misses=document.misses,
            changes=pace.changes,
            seconds=pace.seconds,
            changed_at=pace.last,
            prior=pace.prior,
            read_at=document.read_at,
            reader=document.reader,
            links_for=asked_since(document.links),
        )


_NAMES = [field.name for field in fields(CachedState)]
_OFTEN = _NAMES.index("failures")
"""How many of the values differ from the default in most pages."""
_often, _seldom = attrgetter(*_NAMES[:_OFTEN]), attrgetter(*_NAMES[_OFTEN:])
_UNSET = tuple(field.default for field in fields(CachedState)[_OFTEN:])


class DocumentCache:
    """The cached states of each document, one for each view, by its URL."""

    def __init__(self) -> None:
        """Begin empty."""
        # The URL as bytes, too: 16 less than as a text.
        self._packed: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        """The number of documents in the cache."""
        return len(self._packed)

    def get(self, url: str) -> tuple[CachedState, ...] | None:
        """Look up a document; None if it is not cached."""
        packed = self._packed.get(url.encode())
        if packed is None:
            return None
        return tuple(CachedState(*values) for values in marshal.loads(packed))  # noqa: S302 - our own

    def put(self, url: str, states: Sequence[CachedState] | None) -> None:
        """Replace what is cached of a document; None removes it."""
        if states is None:
            self._packed.pop(url.encode(), None)
        else:
            self._packed[url.encode()] = marshal.dumps([_packed(state) for state in states])

    def clear(self) -> None:
        """Remove everything."""
        self._packed.clear()


def _packed(state: CachedState) -> tuple[Any, ...]:
    """Return the values of a state, without those after the last that is often set."""
    often, seldom = _often(state), _seldom(state)
    return often if seldom == _UNSET else (*often, *seldom)
