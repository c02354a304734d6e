"""Which views of a document a browser is needed for."""

from collections.abc import Iterable
from dataclasses import replace

from schemas.records.fetches import Due
from schemas.records.views import WatchedView


def by_agent(due: Due) -> tuple[Due | None, Due | None]:
    """Split what is due into what fetch reads and what render reads.

    Each part knows the ids of the other's views, which it must not take for unused.
    """
    rendered = [each for each in due.views if _is_rendered(each)]
    if not rendered:
        return due, None
    plain = [each for each in due.views if not _is_rendered(each)]
    return _part(due, plain, rendered), _part(due, rendered, plain)


def has_rendered(views: Iterable[WatchedView]) -> bool:
    """Return whether one of the views needs a browser."""
    return any(map(_is_rendered, views))


def _is_rendered(watched: WatchedView) -> bool:
    return watched.view.request.rendering is not None


def _part(due: Due, own: list[WatchedView], others: list[WatchedView]) -> Due | None:
    ids = tuple(each.id for each in others)
    return replace(due, views=tuple(own), elsewhere=(*due.elsewhere, *ids)) if own else None
