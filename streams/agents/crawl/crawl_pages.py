"""The covered pages of one crawl, with their groups, links and mirrors."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from sys import intern

from schemas.records.table_rows import CrawledPage
from streams.agents.crawl.kept_links import KeptLinks
from streams.agents.crawl.scope import PageGroup, group_of
from streams.text.signatures import Mirrors


class CrawlPages:
    """Rows of pages by their URLs; all else follows from the rows as they come and go."""

    def __init__(self) -> None:
        self.by_url: dict[str, CrawledPage] = {}
        self._groups: Counter[str] = Counter()
        self._links = KeptLinks()
        self._texts = Mirrors()
        self._mirrors: dict[str, set[str]] = {}

    def put(self, page: CrawledPage) -> None:
        """Add a page, or replace its row."""
        known = self.by_url.get(page.url)
        if known is None and (group := group_of(page.url)) is not None:
            self._groups[group.name] += 1
        if known is not None:
            self._drop_mirror(known)
        if page.mirror_of:
            self._mirrors.setdefault(page.mirror_of, set()).add(page.url)
        self._texts.put(page.url, "" if page.mirror_of else page.signature)
        self._links.add((*page.links, *page.sources))
        if known is not None:
            self._links.remove((*known.links, *known.sources))
        # Most links of a site are on each of its pages: so each is in memory once.
        self.by_url[intern(page.url)] = replace(page, links=tuple(map(intern, page.links)))

    def pop(self, url: str) -> CrawledPage:
        """Remove a page, and return its row."""
        page = self.by_url.pop(url)
        self._links.remove((*page.links, *page.sources))
        if (group := group_of(url)) is not None:
            self._groups[group.name] -= 1
        self._drop_mirror(page)
        self._texts.put(url, "")
        return page

    def full_group(self, url: str) -> PageGroup | None:
        """Return the group of a page if no more of it may be covered."""
        group = group_of(url)
        return group if group is not None and self._groups[group.name] >= group.most else None

    def fitting(
        self, page: CrawledPage, links: Iterable[str], sources: Iterable[str], max_pages: int
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the new links and sources of a page, as many as there is room for."""
        before = (*page.links, *page.sources)
        self._links.remove(before)  # they make room
        fitting = self._links.fitting(links, max_pages), self._links.fitting(sources, max_pages)
        self._links.add(before)
        return fitting

    def same_text(self, page: CrawledPage) -> str:
        """Return the URL of another page with nearly the same text, empty if there is none."""
        return self._texts.of(page.url, page.signature)

    def has_mirrors(self, url: str) -> bool:
        """Whether a page stands for others."""
        return bool(self._mirrors.get(url))

    def orphans(self) -> Iterator[list[str]]:
        """Yield the mirrors of each page that is gone, once."""
        for url in [each for each in self._mirrors if each not in self.by_url]:
            yield sorted(self._mirrors.pop(url))

    def _drop_mirror(self, page: CrawledPage) -> None:
        if page.mirror_of:
            self._mirrors.get(page.mirror_of, set()).discard(page.url)
