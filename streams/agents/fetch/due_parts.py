"""Splits what is due into pieces of work: one for each way in which a document is got."""

from dataclasses import replace

from schemas.records.fetches import Due
from schemas.records.page_requests import PLAIN_REQUEST, PageRequest
from schemas.records.views import WatchedView
from streams.values.views import request_id_of

MAX_MANAGERS = 4
"""Managers that a piece of work names, as a watch does."""


def pieces_of(due: Due) -> dict[str, Due]:
    """Split what is due by the request parts of its views; the keys are those of ``piece_key``.

    Each piece knows the views of the others, which it must not take for unused, and is in the
    turns of its own managers: nobody's request parts use up the turns of another manager.
    """
    by_request: dict[PageRequest, list[WatchedView]] = {}
    for each in due.views:
        by_request.setdefault(each.view.request, []).append(each)
    if len(by_request) <= 1:
        return {piece_key(due): due}
    pieces = (_piece(due, own) for own in by_request.values())
    return {piece_key(piece): piece for piece in pieces}


def request_of(piece: Due) -> PageRequest:
    """Return how the document of a piece of work is got."""
    return piece.views[0].view.request if piece.views else PLAIN_REQUEST


def piece_key(piece: Due) -> str:
    """Return by what a piece of work is known: its URL, and the id of its request part if any.

    >>> piece_key(Due("https://example.org/", "w", 0))
    'https://example.org/'
    """
    return f"{piece.url} {request_id_of(request_of(piece))}".rstrip()


def _piece(due: Due, own: list[WatchedView]) -> Due:
    ids = {each.id for each in own}
    others = tuple(each.id for each in due.views if each.id not in ids)
    managers = sorted({manager for each in own for manager in each.managers})
    return replace(
        due,
        views=tuple(own),
        elsewhere=(*due.elsewhere, *others),
        managers=tuple(managers[:MAX_MANAGERS]) or due.managers,
    )
