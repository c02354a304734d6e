"""The state of a watched document between two fetches, in the store."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """The last state of a watched document in the store, in a view.

    ``view`` is the id of the view, empty for the default view. ``watch`` is the watch of this
    state, ``slot`` (epoch ms) the last due time handled. ``text`` is the last snapshot, None if the
    document was never read; ``read_at`` (epoch ms) is the time of its first read, ``body_hash`` the
    hash of the last bytes searched for the view. ``language`` is the text's (ISO 639-1 or ``und``),
    ``drift`` the number of characters changed since its detection. ``failures`` counts the failed
    fetches and readings since the last success. ``unpublished`` holds encoded records for the
    changes topic, in order. ``asks_password`` says whether a page had a field for a password
    despite credentials. ``past`` holds the hashes and times of the last texts, as
    ``streams.agents.fetch.state.recurring_texts`` packs them; the page is flapping until the time
    ``flapping_until`` (epoch ms). ``held`` is the hash of a text suspected at the last visit, empty
    if there is none. ``title`` is the page's, empty if there is none.

    ``missing`` says why the last visit found nothing of the view on a readable page. ``misses``
    counts the visits with no match of its selectors since the last match, up to the number for a
    loss; ``lost`` names the loss (``selection`` or ``login``, empty if there is none), and
    ``missing_since`` its first visit (epoch ms). ``confidence`` is how much of the least certain
    quote was the same, None without quotes.

    ``picture`` is a JPEG of the page with this text, ``earlier_picture`` a JPEG with the text
    before, first read at ``earlier_read_at`` (epoch ms).

    ``series`` is the history of a number, packed by ``schemas.records.numbers``. ``links`` are the
    links published last, and their crawls, packed by ``streams.agents.fetch.page_links``; empty if
    never published.

    ``reader`` names the reader of the text, with its version. ``body`` is the page with the text,
    if bodies are kept, packed by ``streams.agents.fetch.fetched_page``.

    ``version`` identifies this state for compare-and-set; 0 means not stored yet. Each written
    state needs a new version for this view of the URL, such as the slot.
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
    view: str = ""
    past: bytes = b""
    flapping_until: int = 0
    held: bytes = b""
    asks_password: bool = False
    title: str = ""
    missing: str | None = None
    misses: int = 0
    lost: str = ""
    missing_since: int = 0
    confidence: float | None = None
    picture: bytes | None = None
    earlier_picture: bytes | None = None
    earlier_read_at: int = 0
    series: bytes = b""
    reader: str = ""
    body: bytes | None = None
    links: bytes = b""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document from ``at`` until its replacement (epoch ms; None: still current).

    ``content_type`` and ``language`` are as in Document.
    """

    url: str
    at: int
    until: int | None
    content_type: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """The text of a snapshot begun ``at`` a time (epoch ms), its reader, and its body.

    ``reader`` and ``body`` are as in Document.
    """

    at: int
    text: str
    reader: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class PageWait:
    """A due document waiting ``since`` a time (epoch ms), and the reason."""

    url: str
    watch: str
    since: int
    reason: str


@dataclass(frozen=True, slots=True)
class FailingDocument:
    """A document with ``failures`` fetches or readings in a row, and the reason."""

    url: str
    failures: int
    error: str


@dataclass(frozen=True, slots=True)
class LostDocument:
    """A document of which a view finds nothing ``since`` a time (epoch ms), and why."""

    url: str
    since: int
    reason: str


@dataclass(frozen=True, slots=True)
class FlappingDocument:
    """A document going back to earlier texts, ``until`` a time (epoch ms)."""

    url: str
    until: int


@dataclass(frozen=True, slots=True)
class Unpublished:
    """The unpublished records of the state ``version`` of a document's view."""

    url: str
    version: int
    records: tuple[bytes, ...]
    view: str = ""
