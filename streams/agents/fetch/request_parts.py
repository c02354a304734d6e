"""Splits what is due by request part: one fetch for each way in which a document is requested."""

from dataclasses import replace

from schemas.records.fetches import Due
from schemas.records.page_requests import PLAIN_REQUEST, PageRequest
from schemas.records.views import WatchedView
from streams.values.views import request_id_of

MAX_MANAGERS = 4
"""Managers that a request part names, as a watch does."""


def parts_of(due: Due) -> dict[str, Due]:
    """Split what is due by the request parts of its views; the keys are those of ``part_key``.

    Each part knows the views of the others, which it must not take for unused, and is in the
    turns of its own managers: nobody's request parts use up the turns of another manager.
    """
    by_request: dict[PageRequest, list[WatchedView]] = {}
    for each in due.views:
        by_request.setdefault(each.view.request, []).append(each)
    if len(by_request) <= 1:
        return {part_key(due): due}
    parts = (_part(due, own) for own in by_request.values())
    return {part_key(part): part for part in parts}


def request_of(part: Due) -> PageRequest:
    """Return how the document is requested for a part of what is due."""
    return part.views[0].view.request if part.views else PLAIN_REQUEST


def part_key(part: Due) -> str:
    """Return the key of a part of what is due: its URL, and the id of its request part if any.

    >>> part_key(Due("https://example.org/", "w", 0))
    'https://example.org/'
    """
    return f"{part.url} {request_id_of(request_of(part))}".rstrip()


def _part(due: Due, own: list[WatchedView]) -> Due:
    ids = {each.id for each in own}
    others = tuple(each.id for each in due.views if each.id not in ids)
    managers = sorted({manager for each in own for manager in each.managers})
    return replace(
        due,
        views=tuple(own),
        elsewhere=(*due.elsewhere, *others),
        managers=tuple(managers[:MAX_MANAGERS]) or due.managers,
    )
