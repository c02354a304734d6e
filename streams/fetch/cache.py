"""What a worker caches of its documents, so that an unchanged page costs no access to the store.

A worker caches very many of them, so they are packed: objects take twice the memory.
"""

import marshal
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Self

from schemas.documents import Document


@dataclass(frozen=True, slots=True)
class CachedState:
    """What a visit needs to know of a document before it requests the page.

    ``slot`` (epoch ms) is the last due time that was handled, ``version`` that of the
    stored state, 0 if none is stored. The server asked not to be requested again before
    ``not_before`` (epoch ms).
    """

    watch: str
    slot: int
    version: int
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None
    failures: int = 0
    not_before: int = 0

    @classmethod
    def of(cls, document: Document) -> Self:
        """Select from a stored state what is worth caching."""
        return cls(
            watch=document.watch,
            slot=document.slot,
            version=document.version,
            content_type=document.content_type,
            etag=document.etag,
            last_modified=document.last_modified,
            body_hash=document.body_hash,
            failures=document.failures,
        )


_values = attrgetter(*(field.name for field in fields(CachedState)))


class DocumentCache:
    """The cached state of each document, by its URL."""

    def __init__(self) -> None:
        """Begin empty."""
        self._packed: dict[str, bytes] = {}

    def __len__(self) -> int:
        """The number of documents in the cache."""
        return len(self._packed)

    def get(self, url: str) -> CachedState | None:
        """Look up a document; None if it is not cached."""
        packed = self._packed.get(url)
        return None if packed is None else CachedState(*marshal.loads(packed))  # noqa: S302 - our own

    def put(self, url: str, state: CachedState | None) -> None:
        """Replace what is cached of a document; None removes it."""
        if state is None:
            self._packed.pop(url, None)
        else:
            self._packed[url] = marshal.dumps(_values(state))

    def clear(self) -> None:
        """Remove everything."""
        self._packed.clear()
