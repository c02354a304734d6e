"""Which visits are published, because a subscription may wait for a change to stand."""

from schemas.records.views import WatchedView


def is_visit_awaited(watched: WatchedView, read_at: int, published: int, last: int) -> bool:
    """Return whether a subscription may wait for one more visit of a view to find its text.

    The text was first read at ``read_at`` (epoch ms), and so many visits of it were published,
    the last one at ``last``. A restart may count too few; that does no harm.

    >>> view = WatchedView(patience_visits=3)
    >>> is_visit_awaited(view, 1_000, published=2, last=3_000)
    True
    >>> is_visit_awaited(view, 1_000, published=3, last=4_000)
    False
    """
    if not (watched.patience or watched.patience_visits):
        return False
    is_over = last >= read_at + watched.patience * 1000
    return not published or published < watched.patience_visits or not is_over
