"""The different links that the pages of a crawl have, and how many more may be kept."""

from collections import Counter
from collections.abc import Iterable

MAX_LINK_TEXT = 400_000
"""Characters of the links of a page that are kept, and of its sources: a row has 1 MB at most."""
TEXT_PER_PAGE = 1_000
"""Characters of different links that are kept, for each page that a crawl may cover."""


class KeptLinks:
    """Counts links that are kept, each once, so that no site can fill the memory of a worker."""

    def __init__(self) -> None:
        self._uses: Counter[str] = Counter()
        self.text = 0
        """Characters of all different links."""

    def add(self, links: Iterable[str]) -> None:
        """Count the links of a page."""
        for link in links:
            self._uses[link] += 1
            if self._uses[link] == 1:
                self.text += len(link)

    def remove(self, links: Iterable[str]) -> None:
        """Count the links of a page no more."""
        for link in links:
            self._uses[link] -= 1
            if not self._uses[link]:
                del self._uses[link]
                self.text -= len(link)

    def fitting(self, links: Iterable[str], max_pages: int) -> tuple[str, ...]:
        """Return the first links of a page, as many as its row and its crawl have room for.

        A crawl that may cover ``max_pages`` has room for what other pages link to, too.

        >>> KeptLinks().fitting(["https://example.org/a"], max_pages=1)
        ('https://example.org/a',)
        """
        kept: list[str] = []
        size, room = 0, MAX_LINK_TEXT + TEXT_PER_PAGE * max_pages - self.text
        for link in links:
            is_new = link not in self._uses
            if is_new and len(link) > room:
                continue
            size += len(link)
            if size > MAX_LINK_TEXT:
                break
            room -= len(link) * is_new
            kept.append(link)
        return tuple(kept)
