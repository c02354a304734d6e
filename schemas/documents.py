"""What is kept of a watched document between two fetches: pure values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """The last state of one watched document, as the store holds it.

    ``watch`` is the watch that this state belongs to, ``slot`` (epoch ms) the
    last due time that was handled for it. ``text`` is the last snapshot, None
    as long as the document was never read; ``read_at`` (epoch ms) is when it was
    first read so, ``body_hash`` of the bytes it was last read from. ``language`` is
    that of the text (ISO 639-1 or ``und``), ``drift`` how many characters of it have
    changed since the language was detected.
    ``failures`` counts the failed fetches since the last good one.
    ``unpublished`` holds encoded records for the changes topic, in order.

    ``version`` names this state for compare-and-set; 0 means not stored yet.
    Whoever writes a state gives it a version that this URL has not had
    before; the slot is one.
    """

    url: str
    watch: str
    slot: int
    version: int = 0
    text: str | None = None
    content_type: str | None = None
    language: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    body_hash: bytes | None = None
    failures: int = 0
    last_error: str | None = None
    unpublished: tuple[bytes, ...] = ()
    drift: int = 0
    read_at: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a document was from ``at`` on, until it was replaced (epoch ms; None: it holds).

    ``content_type`` and ``language`` are as in Document.
    """

    url: str
    at: int
    until: int | None
    content_type: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class Unpublished:
    """The records that a document's state ``version`` has yet to publish."""

    url: str
    version: int
    records: tuple[bytes, ...]
