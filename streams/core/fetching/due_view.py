"""One view of a document that is due: what a visit decides by itself, whatever others read."""

from dataclasses import dataclass

from schemas.facts import Due, View


@dataclass(frozen=True, slots=True)
class DueView:
    """A document to read in the view ``view_id`` for the due time ``slot`` (epoch ms).

    ``interval`` (s) and ``managers`` are as in Due.
    """

    url: str
    watch: str
    slot: int
    view_id: str
    view: View
    interval: int | None = None
    managers: tuple[str, ...] = ()


def due_views(due: Due) -> tuple[DueView, ...]:
    """Return the views in which a document is due."""
    return tuple(
        DueView(due.url, due.watch, due.slot, each.id, each.view, due.interval, due.managers)
        for each in due.views
    )
