"""The state of a watched document between two fetches, in the store."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """The last state of one watched document in the store, in one of its views.

    ``view`` is the id of the view, empty for the default one. ``watch`` is the watch that this
    state belongs to, ``slot`` (epoch ms) the last due time that was handled for it. ``text`` is
    the last snapshot, None if the document was never read; ``read_at`` (epoch ms) is when it
    was first read like this, ``body_hash`` is that of the last
    bytes in which the view was looked for.
    ``language`` is that of the text (ISO 639-1 or ``und``), ``drift`` how many characters have
    changed since the language was detected. ``failures`` counts the failed fetches and
    readings since the last good one. ``unpublished`` holds encoded records for the changes
    topic, in order. ``asks_password`` says that a page had a field for a password although it
    was requested with credentials. ``past`` holds the hashes and times of the last texts, as
    ``streams.agents.fetch.state.recurring_texts`` packs them; the page is flapping until the time
    ``flapping_until`` (epoch ms). ``held`` is the hash of a text that the last visit did not
    believe, empty if there is none. ``title`` is the page's, empty if it has none.

    ``missing`` says why the last visit found nothing of what the view is about on the page, which
    could be read. ``misses`` counts the visits in which its selectors found nothing since it was
    last found, up to the number that makes them lost; ``lost`` says what is (``selection`` or
    ``login``, empty if nothing), and ``missing_since`` when it was missed first (epoch ms).
    ``confidence`` is how much of the least certain quote was the same, None without quotes.

    ``picture`` is a JPEG of the page with this text, ``earlier_picture`` one with the text that
    was replaced last, which was first read at ``earlier_read_at`` (epoch ms).

    ``series`` is what a number has been, as ``schemas.records.numbers`` packs it.
    ``links`` is for whom the page's links were published last, and which, as
    ``streams.agents.fetch.page_links`` packs it; empty if they never were.

    ``reader`` names what read the text, with its version. ``body`` is the page in which it was
    read, if bodies are kept, as ``streams.agents.fetch.fetched_page`` packs it.

    ``version`` identifies this state for compare-and-set; 0 means not stored yet. Each
    state that is written needs a version that this view of the URL has not had before, such
    as the slot.
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
    """A document from ``at`` until it was replaced (epoch ms; None: it still holds).

    ``content_type`` and ``language`` are as in Document.
    """

    url: str
    at: int
    until: int | None
    content_type: str | None
    language: str | None


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """The text of a snapshot that began ``at`` a time (epoch ms), what read it, and its body.

    ``reader`` and ``body`` are as in Document.
    """

    at: int
    text: str
    reader: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class PageWait:
    """A document that was due and has been waiting ``since`` a time (epoch ms), and for what."""

    url: str
    watch: str
    since: int
    reason: str


@dataclass(frozen=True, slots=True)
class FailingDocument:
    """A document that could not be fetched or read the last ``failures`` times, and why."""

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
    """A document that keeps going back to texts that it had before, ``until`` a time (epoch ms)."""

    url: str
    until: int


@dataclass(frozen=True, slots=True)
class Unpublished:
    """The records that the state ``version`` of a document's view has yet to publish."""

    url: str
    version: int
    records: tuple[bytes, ...]
    view: str = ""
