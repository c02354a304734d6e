"""One view of a document that is due: what a visit decides by itself, whatever others read."""

from dataclasses import dataclass

from schemas.records.fetches import Due
from schemas.records.views import View, WatchedView


@dataclass(frozen=True, slots=True)
class DueView:
    """A document to read in one view for the due time ``slot`` (epoch ms).

    ``interval`` (s), ``max_interval`` (s) and ``managers`` are as in Due.
    """

    url: str
    watch: str
    slot: int
    watched: WatchedView
    interval: int | None = None
    managers: tuple[str, ...] = ()
    max_interval: int | None = None

    @property
    def view_id(self) -> str:
        """The id of the view."""
        return self.watched.id

    @property
    def view(self) -> View:
        """The view itself."""
        return self.watched.view

    @property
    def wants_texts(self) -> bool:
        """Whether a subscription looks for its keywords in the whole document."""
        return self.watched.documents

    @property
    def links_since(self) -> int:
        """Since when a crawl has asked for the page's links (epoch ms), 0 if none does."""
        return self.watched.links

    def max_failures(self, default: int) -> int | None:
        """Return after how many failures in a row a subscription ends; None: none does.

        ``default`` is the deployment's number.
        """
        limits = [self.watched.max_failures, default if self.watched.by_default else None]
        return min((limit for limit in limits if limit is not None), default=None)


def due_views(due: Due) -> tuple[DueView, ...]:
    """Return the views in which a document is due."""
    return tuple(
        DueView(due.url, due.watch, due.slot, each, due.interval, due.managers, due.max_interval)
        for each in due.views
    )
