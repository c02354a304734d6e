"""The states that a worker caches, so that an unchanged page costs no access to the store.

A worker caches very many of them, so they are packed, and many share one object: objects of
their own take three times the memory.
"""

import marshal
import os
from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct
from typing import Any, NamedTuple

from schemas.records.documents import Document
from streams.agents.fetch.page_links import asked_since
from streams.agents.fetch.politeness.pace import Pace, pace_of


class CachedState(NamedTuple):
    """The state of a document in a view that a visit needs before it requests the page.

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
    changed_at: int = 0
    read_at: int = 0
    reader: str = ""
    # These are set from the first change on. The cache leaves out what stands from here on.
    changes: float = 0.0
    seconds: float = 0.0
    prior: float = 0.5
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
        """The pace at which the document changes."""
        return Pace(self.changes, self.seconds, self.changed_at, self.prior)

    @classmethod
    def of(cls, document: Document) -> "CachedState":
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


_UNSET = CachedState("", "", slot=0, version=0)
_PACED, _SELDOM = map(CachedState._fields.index, ("changes", "failures"))
"""The number of values that differ from the default in most pages: without and with a change."""

_BUCKETS = 1 << 12
"""As many objects, in each of which a document is searched for. With four times as many they are
smaller and leave more gaps between them: 196 instead of 154 bytes a document."""
_KEY_SIZE = 16
_SIZE = Struct("<I")


class DocumentCache:
    """The cached states of each document, one for each view, by its URL.

    An entry is a key, which is a hash of the URL, the size of the packed states, and these. The
    bytes of a key are found nowhere but where it is: nobody who controls a page knows the salt.
    """

    def __init__(self) -> None:
        self._salt = os.urandom(_KEY_SIZE)
        self.clear()

    def __len__(self) -> int:
        """The number of documents in the cache."""
        return self._count

    def get(self, url: str) -> tuple[CachedState, ...] | None:
        """Look up a document; None if it is not cached."""
        key, number = self._place(url)
        bucket = self._buckets[number]
        at = bucket.find(key)
        if at < 0:
            return None
        # What follows is not read: marshal knows where its data ends.
        packed = memoryview(bucket)[at + _KEY_SIZE + _SIZE.size :]
        return tuple(CachedState(*values) for values in marshal.loads(packed))  # noqa: S302 - our own

    def put(self, url: str, states: Sequence[CachedState] | None) -> None:
        """Replace what is cached of a document; None removes it."""
        key, number = self._place(url)
        bucket = self._buckets[number]
        at = bucket.find(key)
        if at >= 0:
            (size,) = _SIZE.unpack_from(bucket, at + _KEY_SIZE)
            bucket = bucket[:at] + bucket[at + _KEY_SIZE + _SIZE.size + size :]
            self._count -= 1
        if states is not None:
            packed = marshal.dumps(tuple(map(_packed, states)))
            bucket = b"".join((key, _SIZE.pack(len(packed)), packed, bucket))
            self._count += 1
        self._buckets[number] = bucket

    def clear(self) -> None:
        """Remove everything."""
        self._buckets = [b""] * _BUCKETS
        self._count = 0

    def _place(self, url: str) -> tuple[bytes, int]:
        """Return the key of a URL, and the number of its bucket."""
        key = blake2b(url.encode(), digest_size=_KEY_SIZE, key=self._salt).digest()
        return key, int.from_bytes(key[:4], "little") % _BUCKETS


def _packed(state: CachedState) -> tuple[Any, ...]:
    """Return the values of a state, without those after the last that is often set."""
    if state[_SELDOM:] != _UNSET[_SELDOM:]:
        return tuple(state)
    return state[:_PACED] if state[_PACED:] == _UNSET[_PACED:] else state[:_SELDOM]
