"""Pages that take long: each is left alone for a while, so that others have their host."""

from collections import OrderedDict

SLOW_VISIT_S = 5.0
"""A visit that takes this many seconds or more counts as slow."""
FIRST_SHARE, LAST_SHARE = 2, 16
"""A slow page is left alone for this many times as long as it took, at first and at last."""
_REMEMBERED = 100_000


class SlowPages:
    """How long each slow page is left alone: longer with each slow visit in a row.

    In the end a page that always hangs takes a seventeenth of its host's time.

    >>> pages = SlowPages()
    >>> pages.note("https://example.org/", took=30.0, now=100.0)
    >>> pages.held_until("https://example.org/")
    160.0
    """

    def __init__(self) -> None:
        """Start without any."""
        self._pages: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def __len__(self) -> int:
        """The number of pages that were slow last time."""
        return len(self._pages)

    def note(self, url: str, took: float, now: float) -> None:
        """Note how long (s) its host took to send a page; times are in seconds."""
        _, share = self._pages.pop(url, (0.0, FIRST_SHARE // 2))
        if took >= SLOW_VISIT_S:
            share = min(2 * share, LAST_SHARE)
            self._pages[url] = now + took * share, share
            if len(self._pages) > _REMEMBERED:
                self._pages.popitem(last=False)

    def held_until(self, url: str) -> float:
        """Return until when (s) a page is to be left alone; 0 if it was not slow."""
        return self._pages.get(url, (0.0, 0))[0]
