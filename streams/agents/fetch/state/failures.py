"""The state of a document after it could not be read, and after it could be again."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from schemas.codec import wire
from schemas.records.documents import Document
from schemas.records.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from streams.agents.fetch.due_view import DueView
from streams.values.ids import content_id

N = TypeVar("N")

MAX_REASON = 1_000
"""Characters of the reason of a failure: a plug-in's error may contain the page."""


def state_after_failure(
    before: Document | None, due: DueView, *, reason: str, max_failures: int, at: int
) -> Document:
    """Compute the state after a failed fetch ``at`` a time (epoch ms).

    From so many failures in a row on as a subscription of the view allows, by itself or by the
    deployment's ``max_failures``, it holds the record that ends subscriptions.
    """
    known = known_state(before, due)
    after = replace(
        known,
        slot=due.slot,
        version=due.slot,
        failures=known.failures + 1,
        last_error=reason[:MAX_REASON],
    )
    records = tuple(map(wire.encode, _failures(after, due, max_failures, at)))
    return replace(after, unpublished=records)


def known_state(before: Document | None, due: DueView) -> Document:
    """Return the state before a visit, that of a document without any text at the first."""
    return before or Document(due.url, due.watch, due.slot, view=due.view_id)


def state_after_recovery(before: Document, due: DueView, at: int, held: bytes = b"") -> Document:
    """Compute the state after a page that failed before, or was held, was found unchanged.

    ``held`` is the hash of a text that is not believed instead; all else stays.
    """
    return replace(
        before,
        slot=due.slot,
        version=due.slot,
        failures=0,
        last_error=None,
        held=held,
        unpublished=recovery(before, due, at),
    )


def recovery(before: Document | None, due: DueView, at: int) -> tuple[bytes, ...]:
    """Return the record that a document can be read again; none where nobody asked for it."""
    if before is None or before.failures < min(due.watched.notices, default=math.inf):
        return ()
    fact = notice(DocumentRecovered, "recovered", before, due, at, failures=before.failures)
    return (wire.encode(fact),)


def _failures(
    after: Document, due: DueView, default: int, at: int
) -> Iterator[DocumentFailing | DocumentUnreachable]:
    reason = after.last_error or ""
    if after.failures in due.watched.notices:
        count = after.failures
        yield notice(DocumentFailing, "failing", after, due, at, reason=reason, failures=count)
    limit = due.max_failures(default)
    if limit is not None and after.failures >= limit:
        counts = {"failures": after.failures, "max_failures": default}
        yield notice(DocumentUnreachable, "timeout", after, due, at, reason=reason, **counts)


def notice(
    kind: Callable[..., N], what: str, document: Document, due: DueView, at: int, **more: Any
) -> N:
    """Return a record of one ``kind`` that says ``what`` has become of a document in a view.

    ``more`` are the fields that other kinds do not have.
    """
    return kind(
        # With the slot in it: a page that keeps failing never says two things by one id.
        id=content_id(due.url, due.view_id, due.watch, due.slot, what),
        url=due.url,
        watch=due.watch,
        slot=due.slot,
        content_type=document.content_type or due.view.content_type or "",
        at=at,
        view=due.view_id,
        title=document.title,
        **more,
    )
