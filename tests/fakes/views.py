"""Views of a document, as a watch lists them."""

from dataclasses import replace

from schemas.records.page_requests import PageRequest
from schemas.records.subscriptions import Options
from schemas.records.views import WatchedView
from streams.values.views import view_id, view_of, watched_view


def views(*content_types: str | None) -> tuple[WatchedView, ...]:
    """The views of subscriptions that name these content types."""
    return views_of(*(Options(content_type=each) for each in content_types))


def views_of(*options: Options) -> tuple[WatchedView, ...]:
    """The views of subscriptions with these options."""
    found = {watched_view(each, "default") for each in options}
    return tuple(sorted(found, key=lambda view: view.id))


def view_in(request: PageRequest, *managers: str, content_type: str | None = None) -> WatchedView:
    """A view of a document that is got like this."""
    view = replace(view_of(Options(content_type=content_type), "default"), request=request)
    return WatchedView(view_id(view), view, managers=managers)
