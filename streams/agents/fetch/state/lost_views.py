"""The state of a document in which a view finds nothing, and what is said once it does again.

Neither is a failure of the page, or a change: the last text stays the one to compare with, and no
subscription ends, because a part or a session may come back, and only its reader knows what to do.
So it is with a page that says nothing: an empty one, or one that only leads to another.
"""

import re
from dataclasses import replace

from schemas.codec import wire
from schemas.records.documents import Document
from schemas.records.losses import LoginFound, LoginLost, SelectionFound, SelectionLost
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.state.failures import (
    MAX_REASON,
    known_state,
    notice,
    state_after_recovery,
)

MISSES = 3
"""Visits that find nothing before a selection is lost: sites are rebuilt, and fail halfway."""
SELECTION, LOGIN = "selection", "login"
_MAX_TEXT, _MAX_BODY = 200, 2_000
"""Characters of the text, and bytes, of a page that only leads to another one."""
_REDIRECT = re.compile(
    rb"<meta\b[^>]*http-equiv\s*=\s*[\"']?refresh\b[^>]*content\s*=\s*[\"']?\s*[0-2]?\d\s*[;,]\s*url"
    rb"|<script\b[^>]*>[^<]*\blocation(?:\.href)?\s*(?:=\s*[\"'`]|\.\s*(?:replace|assign)\s*\()",
    re.IGNORECASE,
)


def state_after_miss(
    before: Document | None, due: DueView, page: FetchedPage, reason: str
) -> Document:
    """Compute the state after a page in which the selectors of a view find nothing, and why.

    It is known by its bytes, so that it is not read again while it is the same.
    """
    seen = replace(
        known_state(before, due),
        etag=page.response.etag,
        last_modified=page.response.last_modified,
        body_hash=page.body_hash,
    )
    return _missed(seen, due, reason=reason, at=page.at)


def state_after_same_miss(before: Document, due: DueView, at: int) -> Document:
    """Compute the state after the page in which nothing was found was there unchanged."""
    return _missed(before, due, reason=before.missing or "", at=at)


def state_after_login_page(
    before: Document | None, due: DueView, *, reason: str, at: int
) -> Document:
    """Compute the state after a login page in place of a page.

    It is lost at once: a session does not come back without its owner, and each visit until
    then is one that sees no news.
    """
    # Validators of another page would make the one that comes back look unchanged.
    seen = replace(
        known_state(before, due), misses=0, etag=None, last_modified=None, body_hash=None
    )
    command = f"vokter credentials set {due.view.request.credentials}"
    return _missing(seen, due, lost=LOGIN, reason=f"{reason} ({command})", at=at)


def bare_reason(body: bytes, text: str) -> str | None:
    """Return why a page that was read has no text to watch, None if it has.

    >>> bare_reason(b"<script>location = '/new'</script>Please wait", "Please wait")
    'the page only leads to another one: watch that one'
    """
    if not (text.strip() or body.strip()):
        return "the page is empty"
    if len(body) <= _MAX_BODY and len(text) <= _MAX_TEXT and _REDIRECT.search(body):
        return "the page only leads to another one: watch that one"
    return None if text.strip() else "the page shows no text"


def state_of_bare_page(
    before: Document | None, after: Document, due: DueView, *, reason: str, at: int
) -> Document:
    """Compute the state after a page that was read, but says nothing, and why.

    Its text is the one to compare with, unlike that of a page in which nothing was found: what is
    added to an empty list is a change. It is lost at once, but believed only at its second visit
    if it said something before.
    """
    known = before if before is not None and before.lost == SELECTION else None
    records = () if known else (notice(SelectionLost, "lost", after, due, at, reason=reason),)
    return replace(
        after,
        missing=reason,
        missing_since=known.missing_since if known else at,
        lost=SELECTION,
        unpublished=(*after.unpublished, *map(wire.encode, records)),
    )


def finding(before: Document | None, due: DueView, at: int) -> tuple[bytes, ...]:
    """Return the record that what was lost is found again; none if nothing was."""
    if before is None or not before.lost:
        return ()
    if before.lost == LOGIN:
        return (wire.encode(notice(LoginFound, "found", before, due, at)),)
    return (wire.encode(notice(SelectionFound, "found", before, due, at)),)


def _missed(seen: Document, due: DueView, *, reason: str, at: int) -> Document:
    misses = min(seen.misses + 1, MISSES)
    lost = SELECTION if misses == MISSES else seen.lost
    return _missing(replace(seen, misses=misses), due, lost=lost, reason=reason, at=at)


def _missing(known: Document, due: DueView, *, lost: str, reason: str, at: int) -> Document:
    """Compute the state after a page that could be read, but not in its view."""
    reason = reason[:MAX_REASON]
    after = state_after_recovery(known, due, at)
    records = after.unpublished
    if lost != known.lost:
        record: LoginLost | SelectionLost = (
            notice(LoginLost, "lost", known, due, at, reason=reason)
            if lost == LOGIN
            else notice(SelectionLost, "lost", known, due, at, reason=reason)
        )
        records += (wire.encode(record),)
    since = known.missing_since or at
    return replace(after, missing=reason, missing_since=since, lost=lost, unpublished=records)
