"""Views of a document, as a watch lists them."""

from schemas.subscriptions import Options
from schemas.views import WatchedView
from streams.core.views import watched_view


def views(*content_types: str | None) -> tuple[WatchedView, ...]:
    """The views of subscriptions that name these content types."""
    return views_of(*(Options(content_type=each) for each in content_types))


def views_of(*options: Options) -> tuple[WatchedView, ...]:
    """The views of subscriptions with these options."""
    found = set(map(watched_view, options))
    return tuple(sorted(found, key=lambda view: view.id))
