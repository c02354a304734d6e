"""Texts, facts and subscriptions as they are stored, the same in every store.

Each is compressed as one frame of zstd; an earlier release compressed with zlib.
"""

import json
import sys
import threading
import zlib
from typing import Any, get_args

from msgspec import convert, to_builtins
from msgspec.json import Decoder, encode

from schemas.records.changes import Change
from schemas.records.deliveries import (
    ClientGone,
    Delivery,
    DeliveryOutcome,
    ReceiverAsked,
    ReceiverConfirmed,
)
from schemas.records.facts import Fact
from schemas.records.judgements import Suppressed
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.urls import canonical
from schemas.records.waiting import ChangesWaiting

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZSTD = b"\x28\xb5\x2f\xfd"
"""The begin of each frame of zstd, never of zlib."""
_KEPT = (
    *get_args(Change),
    Notification,
    *get_args(Delivery),
    ChangesWaiting,
    PageAdded,
    PageRemoved,
)
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in _KEPT}
_SUBSCRIPTION = Decoder(Subscription)


OF_MANAGER = ""
"""In place of a client: the key of a manager's listings for all clients together."""


def pack(text: str) -> bytes:
    """Compress a text, even one with lone surrogates; slow for a large one.

    Example:
        >>> unpack(pack("Zeus"))
        'Zeus'
    """
    return compressed(text.encode("utf-8", "surrogatepass"))


def unpack(packed: bytes) -> str:
    """Decompress a text."""
    return decompressed(packed).decode("utf-8", "surrogatepass")


def history_key(fact: Fact) -> tuple[str, str, str] | None:  # noqa: PLR0911 - one for each kind
    """Return a fact's kind, id, and subject; None if the fact is not recorded."""
    match fact:
        case _ if isinstance(fact, Change):
            return "change", fact.id, document_subject(fact.url, fact.view)
        case Notification():
            who = fact.receiver.client_url or canonical_client(fact.receiver.session or "")
            return "notification", fact.id, client_subject(fact.manager, who)
        case _ if isinstance(fact, DeliveryOutcome):
            return "delivery", fact.notification, client_subject(fact.manager, fact.client_url)
        case Suppressed():
            found = fact.notification
            return "suppressed", found.id, client_subject(found.manager, OF_MANAGER)
        case ChangesWaiting():
            patience = fact.patience, fact.patience_visits
            return "waiting", waiting_key(fact.url, fact.view, *patience), fact.url
        case ClientGone() | ReceiverAsked() | ReceiverConfirmed():
            kind = "client" if isinstance(fact, ClientGone) else "proof"
            subject = client_subject(fact.manager, fact.client_url)
            return kind, f"{fact.manager} {fact.client_url}", subject
    return _page_key(fact) if isinstance(fact, PageAdded | PageRemoved) else None


def _page_key(fact: PageAdded | PageRemoved) -> tuple[str, str, str]:
    crawl = crawl_of(fact)
    # A mirror is still covered: by the page that stands for it.
    is_gone = isinstance(fact, PageRemoved) and not fact.mirror_of
    subject = client_subject(fact.manager, crawl)
    if is_gone and not fact.since:
        return "removed_page", left_out_id(crawl, fact.url), subject
    return "removed_page" if is_gone else "page", page_fact_id(crawl, fact.url), subject


def page_fact_id(crawl: str, url: str) -> str:
    """Return the id of the newest fact about a page of a crawl."""
    return f"{crawl} {url}"


def left_out_id(crawl: str, url: str) -> str:
    """Return the id of the newest fact about a page left out of a crawl.

    The id differs from the id of the coverage, by which a manager may see the history of the page.
    """
    return f"{page_fact_id(crawl, url)} left out"


def crawl_of(fact: PageAdded | PageRemoved) -> str:
    """Return the id of the crawl of a fact about a page."""
    return fact.crawl if isinstance(fact, PageRemoved) else fact.coverage.id


def search_columns(fact: Fact, terms: str = "") -> dict[str, str]:
    """Return the search columns of a notification, or of a change by its terms.

    ``words`` of a notification are its name, title, address and keywords in small letters, ``tags``
    its tags, each in a line.
    """
    if not isinstance(fact, Notification):
        return {"manager": "", "tags": "", "words": terms}
    keywords = dict.fromkeys(diff.keyword for diff in fact.diffs)
    return {
        "manager": fact.manager,
        "tags": "".join(f"\n{tag}\n" for tag in fact.tags),
        "words": "\n".join((fact.name, fact.title, fact.url, *keywords)).lower(),
    }


def document_subject(url: str, view: str) -> str:
    """Name the subject of the changes of a document in a view."""
    return f"{url} {view}" if view else url


def waiting_key(url: str, view: str, patience: int, visits: int) -> str:
    """Name the waiting edits in a view for a patience (seconds and visits; 0: none)."""
    return f"{document_subject(url, view)} {patience} {visits}"


def waiting_key_of(subscription: Subscription) -> str | None:
    """Name the waiting edits of a subscription, None without patience."""
    patience, visits = subscription.options.patience, subscription.options.patience_visits
    if patience is None and visits is None:
        return None
    return waiting_key(subscription.url, subscription.view_id, patience or 0, visits or 0)


def client_subject(manager: str, client: str) -> str:
    """Name the subject of the facts of a manager's client, in its canonical form."""
    return json.dumps([manager, client])


def client_subjects(manager: str) -> tuple[str, str]:
    """Return bounds of the subjects of a manager's clients: the first is below all of them.

    >>> below, above = client_subjects("zeus")
    >>> below < client_subject("zeus", "") < client_subject("zeus", "~") < above
    True
    """
    begin = json.dumps([manager])[:-1]
    return f"{begin}, ", f"{begin}, #"


def receiver_key(receiver: Receiver, name: str) -> str:
    """Return the text by which a receiver's subscription of a document is found, by its name."""
    return json.dumps([receiver.client_url, receiver.session, *([name] if name else [])])


def canonical_client(client: str) -> str:
    """Return the canonical URL of a webhook, or the name of a session; slow for each fact."""
    return canonical(client) or client


def pack_fact(fact: Any) -> bytes:
    """Compress a fact as JSON, with its kind in ``fact``."""
    kind = type(fact).__name__
    try:
        return compressed(b'{"fact":"%b",%b' % (kind.encode(), encode(fact)[1:]))
    except UnicodeEncodeError:  # slower, but it can write a lone surrogate
        return compressed(json.dumps({"fact": kind, **to_builtins(fact)}).encode())


def unpack_fact(packed: bytes) -> Any:
    """Decompress a fact."""
    return parse_fact(unpack(packed))


def parse_fact(text: str) -> Any:
    """Read a fact from JSON, with its kind in ``fact``."""
    values = json.loads(text)
    kind: Any = _KINDS[values.pop("fact")]
    return convert(values, kind)


def state_of(subscription: Subscription) -> str:
    """Return the state of a subscription that has not ended."""
    if subscription.stopped:
        return "stopped"
    return "paused" if subscription.paused else "active"


def pack_subscription(subscription: Subscription) -> str:
    """Write all fields of a subscription as JSON."""
    return json.dumps(to_builtins(subscription))


def packed_text(text: str) -> str:
    r"""Return a text as in packed JSON, in small letters of ASCII.

    >>> print(packed_text('Père "X"'))
    p\u00e8re \"x\"
    """
    return json.dumps(text)[1:-1].lower()


def ascii_lower(text: str) -> str:
    """Return a text with small letters of ASCII, and others as they are.

    >>> ascii_lower("ÄRA")
    'Ära'
    """
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def unpack_subscription(text: str) -> Subscription:
    """Read a subscription from JSON."""
    return _SUBSCRIPTION.decode(text)


def compressed(data: bytes) -> bytes:
    """Compress; slow for much data.

    >>> decompressed(compressed(b"Zeus"))
    b'Zeus'
    """
    return _COMPRESSOR.own.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def decompressed(data: bytes) -> bytes:
    """Decompress."""
    return zstd.decompress(data) if data.startswith(_ZSTD) else zlib.decompress(data)


class _Compressor(threading.local):
    """A compressor for each thread: a new compressor costs more than compressing a notification.

    With a shared compressor the event loop would wait for a thread with a large text.
    """

    def __init__(self) -> None:
        # The window that goes with the level would keep 4 MB after a large text.
        options: dict[int, int] = {
            zstd.CompressionParameter.compression_level: 1,
            zstd.CompressionParameter.window_log: 17,
        }
        self.own = zstd.ZstdCompressor(options=options)


_COMPRESSOR = _Compressor()
