"""Views of a document, as a watch lists them."""

from schemas.facts import Options, WatchedView
from streams.core.views import watched_view


def views(*content_types: str | None) -> tuple[WatchedView, ...]:
    """The views of subscriptions that name these content types."""
    found = {watched_view(Options(content_type=each)) for each in content_types}
    return tuple(sorted(found, key=lambda view: view.id))
