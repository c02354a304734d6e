"""What a granted Backfill lets the agent backfill do."""

from collections.abc import Iterator

from schemas.codec.times import epoch_ms
from schemas.records.backfills import BackfillGranted
from schemas.records.codes import Code
from schemas.records.fields import record_fields
from schemas.records.pages import is_pages
from schemas.records.requests import Backfill, ClientRequest
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Registration

_TIMES = "since", "until"


def backfill_of(
    request: ClientRequest, subscription: Subscription | None, at: int
) -> BackfillGranted | None:
    """Return what is to be done for a request granted at a time (epoch ms), if it is a Backfill.

    Changes after the request are left to match.
    """
    if subscription is None or not isinstance(request, Backfill):
        return None
    until = epoch_ms(request.until) if request.until else at
    return BackfillGranted(
        request_id=request.request_id or "",
        subscription=subscription,
        since=max(0, epoch_ms(request.since)) if request.since else 0,
        until=max(0, min(until, at)),
        limit=request.limit,
    )


def asked_for_backfill(known: Registration, subscription: str) -> bool:
    """Return whether a backfill was lately granted to a subscription, by its id."""
    granted = Backfill.__name__, Code.OK, subscription
    return any((each.action, each.code, each.subscription) == granted for each in known.answers)


def backfill_faults(request: Backfill) -> Iterator[str]:
    """Name the fields of a request that are out of range, and what is allowed.

    >>> from schemas.records.subscriptions import Receiver
    >>> list(backfill_faults(Backfill("https://example.org/", Receiver(), since="May")))
    ["since: expected a time as in RFC 3339, not 'May'"]
    """
    if is_pages(request.document_url):
        yield "documentUrl: only the changes of one page can be notified afterwards"
    for field in record_fields(Backfill):
        value = getattr(request, field.name)
        if field.name in _TIMES and value and not _is_time(value):
            yield f"{field.name}: expected a time as in RFC 3339, not {value[:40]!r}"
        if field.name == "limit" and not field.allows(value):
            yield f"limit: {field.allowed} are allowed"


def _is_time(text: str) -> bool:
    try:
        epoch_ms(text)
    except ValueError:
        return False
    return True
