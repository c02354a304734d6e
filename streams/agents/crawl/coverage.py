"""Coverage of one crawl: the pages that its links lead to, as links come and go."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from schemas.records.crawls import MANAGER_IS_FULL, MAX_PAGES, Coverage, CrawlOptions, PageSeen
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import CrawledPage
from schemas.records.urls import hostname
from streams.agents.crawl.crawl_pages import CrawlPages
from streams.agents.crawl.left_out import LeftOut
from streams.agents.crawl.reach import reached, sitemap_of, still_holds
from streams.agents.crawl.scope import outside
from streams.values.addresses import page_addresses

CATCH_UP_MS = 5_000
"""Time between two ticks."""
STEP = 100
"""Pages that are looked at in one step."""
STEP_LINKS = 5_000
"""Links that are looked at in one step."""
AHEAD = 200
"""Pages that may be covered and wait for their first visit, about."""
PER_VISIT, PER_TICK = 4, 20
"""Pages that may be covered for each visit, and at each tick: pages that fail are no visits."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step for a page: its row, None if it is forgotten, and the task of the register.

    ``is_watched``: it is to be watched, or no longer for a ``reason``; None: it stays as it is.
    ``is_news``: it has come or gone since its crawl was there. ``is_left_out``: a bound keeps
    it from being covered; it has no row. Of a mirror, ``since`` and ``until`` (epoch ms) say when
    it was read while it was watched itself.
    """

    url: str
    page: CrawledPage | None
    is_watched: bool | None = None
    reason: str = ""
    is_news: bool = False
    is_left_out: bool = False
    since: int = 0
    until: int = 0


Moves = Iterator[Move | None]
"""Moves in the order in which they take effect, and None where others may have their turn."""


class CrawlCoverage:
    """The pages of one crawl. Rows are written after what depends on them is decided.

    So a crash in the middle leaves the page to be seen again, which comes to the same.
    """

    def __init__(self, subscription: Subscription) -> None:
        """Start with the root alone, as its subscription says."""
        self.subscription = subscription
        self._covered = CrawlPages()
        self.pages: Mapping[str, CrawledPage] = self._covered.by_url
        self._left_out = LeftOut()
        # Not before one sweep has come to its end: a worker may have died in the one before.
        self._is_swept = False
        self._has_refused = True
        """Whether links were left out that may be covered once there is room."""
        self._most = MAX_PAGES
        """Pages for which the register has room, as far as it has refused some."""
        self._credit = AHEAD
        """New pages that may be covered now."""
        self._behind = dict[str, None]()
        """Pages with links that are not followed yet, for lack of credit or since a start."""

    @property
    def options(self) -> CrawlOptions:
        """The options of the subscription."""
        found = self.subscription.options.crawl
        assert found is not None, "only a subscription that crawls covers pages"
        return found

    def put(self, page: CrawledPage) -> None:
        """Remember a page: one that was loaded, or has changed."""
        self._left_out.forget(page.url)
        self._covered.put(page)

    def load(self, page: CrawledPage) -> None:
        """Remember a page of the table; links that were not followed before the stop are later."""
        self.put(page)
        self._behind[page.url] = None

    @property
    def is_behind(self) -> bool:
        """Whether links wait to be followed."""
        return bool(self._behind)

    def tick(self) -> Moves:
        """Follow some links that wait, though no page was visited."""
        self._credit = max(self._credit, PER_TICK)
        yield from self._catch_up()

    def begin(self) -> Moves:
        """Begin with the root, and the sitemap if it is asked for."""
        root = self.subscription.url
        if root not in self.pages:
            own = Coverage(self.subscription.id, root, root, 0)
            yield self._kept(CrawledPage(root, own))
        if self.options.sitemap:
            yield from self._source(sitemap_of(root), root, 0)

    def follow_subscription(self, subscription: Subscription) -> Moves:
        """Follow a subscription that was changed."""
        before, self.subscription = self.options, subscription
        if self.options != before:
            # There may be more to cover, and room for it.
            self._has_refused, self._most = True, MAX_PAGES
            self._left_out.forget_named()
            for page in list(self.pages.values()):
                links = tuple(self._followed(page.links, page.url))
                mirror = "" if self.options.keep_mirrors else page.mirror_of
                is_named = self.options.feeds or page.coverage.source
                sources = page.sources if is_named else ()
                since = page.since if mirror == page.mirror_of else 0
                after = replace(page, links=links, sources=sources, mirror_of=mirror, since=since)
                yield self._kept(after)
            yield from self.begin()
            yield from self._sweep()
        else:  # a worker may have died when it had begun
            yield from self.begin()
        for page in list(self.pages.values()):
            if not page.mirror_of and page.url != subscription.url:
                yield Move(page.url, page, is_watched=True)

    def see(self, found: PageSeen) -> Moves:
        """Follow the links of a page that was read."""
        known = self.pages.get(found.url)
        if known is None:
            return  # it was read before it was forgotten
        # By one page it is asked whether the register has room by now.
        self._most = max(self._most, len(self.pages) + 1)
        own = hostname(self.subscription.url)
        named = found.sources if self.options.feeds or known.coverage.source else ()
        links, sources = self._covered.fitting(
            known,
            self._followed(found.links, found.url),
            (url for url in named if hostname(url) == own),
            self.options.max_pages,
        )
        page = replace(
            known,
            links=links,
            sources=sources,
            signature=found.signature,
            read_at=found.at,
            since=known.since or found.at,
        )
        self.put(page)
        lost = {*known.links, *known.sources} - {*page.links, *page.sources}
        if lost and (
            not self._is_swept
            or any(self.pages[url].coverage.via == page.url for url in lost if url in self.pages)
        ):
            yield from self._sweep(page.url)
        page = self.pages.get(found.url, page)
        yield from self._follow(page, is_news=known.read_at > 0)
        yield from self._as_mirror(self.pages.get(found.url, page))
        self._credit = min(self._credit + PER_VISIT, AHEAD)
        yield from self._catch_up()

    def refuse(self, url: str, reason: str) -> Moves:
        """Forget a page for which the register has no room, and ask for few more.

        It is uncovered, too: it may have been covered by a command that came later.
        """
        page = self.pages.get(url)
        if page is None or url == self.subscription.url:
            return
        yield self._removed(url, reason)
        self._most, self._has_refused = len(self.pages), True
        self._left_out.refuse(url)
        if page.links or page.sources or self._covered.has_mirrors(url):
            yield from self._sweep()

    def end(self, reason: str) -> Moves:
        """Forget all pages."""
        root = self.subscription.url
        for url in [each for each in self.pages if each != root]:
            yield self._removed(url, reason)
        if root in self.pages:
            yield self._removed(root, reason)

    def _as_mirror(self, page: CrawledPage) -> Moves:
        """Let another page stand for one with nearly the same text."""
        is_own = page.url == self.subscription.url or page.coverage.source or page.mirror_of
        wants_none = self.options.keep_mirrors or self._covered.has_mirrors(page.url)
        other = "" if is_own or wants_none else self._covered.same_text(page)
        if not other:
            yield self._kept(page)
            return
        page = replace(page, mirror_of=other)
        self.put(page)
        reason = f"its text is nearly the same as that of {other} (crawl.keepMirrors)"
        move = Move(page.url, page, is_watched=False, reason=reason)
        yield replace(move, since=page.since, until=page.read_at)

    def _follow(self, page: CrawledPage, *, is_news: bool) -> Moves:
        """Cover what a page links to, and what that links to where it is nearer now."""
        queue = deque([page])
        while queue:
            page = queue.popleft()
            coverage = page.coverage
            for url in page.sources:
                yield from self._source(url, page.url, coverage.depth)
            if coverage.depth >= self.options.depth:
                continue
            nearer = Coverage(coverage.id, coverage.root, page.url, coverage.depth + 1)
            for url in self._left_out.refused_last(page.links):
                known = self.pages.get(url)
                if known is None:
                    yield from self._cover(url, nearer, is_news=is_news)
                elif known.coverage.depth > nearer.depth and not known.coverage.source:
                    moved = replace(known, coverage=nearer)
                    queue.append(moved)
                    yield self._added(moved)
            yield None

    def _cover(self, url: str, coverage: Coverage, *, is_news: bool) -> Moves:
        if reason := self.refusal(url):
            self._has_refused = True
            if self._left_out.name(url):
                yield Move(url, None, is_watched=False, reason=reason, is_left_out=True)
        elif self._credit or is_news:
            self._credit = max(0, self._credit - 1)
            yield replace(self._added(CrawledPage(url, coverage)), is_news=is_news)
        else:
            self._behind[coverage.via] = None

    def _catch_up(self) -> Moves:
        """Follow links that wait, as far as there is credit.

        To watch a page takes much more than to find its link, and its host serves one at a time.
        """
        for url in list(islice(self._behind, STEP)):
            if not self._credit:
                return
            del self._behind[url]
            if url in self.pages:
                yield from self._follow(self.pages[url], is_news=False)

    def refusal(self, url: str) -> str:
        """Return why a page that a covered page links to is not covered, empty if it can be."""
        if len(self.pages) >= self._most:
            return MANAGER_IS_FULL
        if len(self.pages) >= self.options.max_pages:
            return f"{self.options.max_pages:,} pages are covered (crawl.maxPages)"
        if (group := self._covered.full_group(url)) is not None:
            return f"{group.most} pages of this {group.kind} are covered, the most of one"
        return ""

    def _source(self, url: str, via: str, depth: int) -> Moves:
        if url not in self.pages:
            if self.refusal(url):
                self._has_refused = True
                return
            own = Coverage(self.subscription.id, self.subscription.url, via, depth, source=True)
            yield self._added(CrawledPage(url, own))

    def _sweep(self, seen: str = "") -> Moves:
        """Forget the pages that no link leads to any more, and fill their room.

        With ``seen``, because of that page, which is followed later.
        """
        is_whole = self._is_swept and not self._has_refused
        self._is_swept = False
        found: dict[str, Coverage] = {}
        yield from self._note_reached(found)
        yield None
        gone = [each for each in self.pages if each not in found]
        yield None
        for url in gone:
            removed = self._removed(url, "no covered page links to it any more")
            yield replace(removed, is_news=bool(seen))
        for mirrors in self._covered.orphans():
            yield from self._promote(mirrors)
        moved: list[str] = []
        yield from self._move(found, moved)
        # Where nothing was left out, only what has moved may lead to more.
        yield from self._fill(moved if is_whole else found, seen)
        self._is_swept = True

    def _move(self, found: Mapping[str, Coverage], moved: list[str]) -> Moves:
        """Note how pages are reached now, and which of them are reached in another way."""
        for number, (url, coverage) in enumerate(found.items(), 1):
            if number % STEP == 0:
                yield None
            page = self.pages[url]
            if page.coverage != coverage and not still_holds(page, coverage, found, self.pages):
                moved.append(url)
                yield self._added(replace(page, coverage=coverage))

    def _fill(self, urls: Iterable[str], seen: str) -> Moves:
        """Cover what pages link to, until as many pages are covered as may be."""
        self._has_refused = False
        for url in urls:
            if len(self.pages) >= min(self.options.max_pages, self._most):
                self._has_refused = True
                return
            if url != seen:
                yield from self._follow(self.pages[url], is_news=False)

    def _note_reached(self, found: dict[str, Coverage]) -> Iterator[None]:
        """Note how each page is reached to which links lead, in steps of so many links."""
        links = 0
        for url, coverage in reached(self.pages, self.subscription.url, self.options):
            found[url] = coverage
            links += 1 + len(self.pages[url].links)
            if links >= STEP_LINKS:
                links -= STEP_LINKS
                yield

    def _promote(self, mirrors: Iterable[str]) -> Moves:
        """Watch the first of the mirrors of a page that is gone, in place of it."""
        first = ""
        for url in mirrors:
            page = replace(self.pages[url], mirror_of=first)
            page = page if first else replace(page, since=0)
            first = first or url
            yield self._added(page)

    def _followed(self, links: Iterable[str], own: str) -> Iterator[str]:
        root, options = self.subscription.url, self.options
        return (url for url in page_addresses(links, own) if not outside(url, root, options))

    def _kept(self, page: CrawledPage) -> Move:
        self.put(page)
        return Move(page.url, page)

    def _added(self, page: CrawledPage) -> Move:
        """Watch a page, unless another one stands for it."""
        return replace(self._kept(page), is_watched=None if page.mirror_of else True)

    def _removed(self, url: str, reason: str) -> Move:
        page = self._covered.pop(url)
        is_root = url == self.subscription.url
        move = Move(url, None, is_watched=None if is_root else False, reason=reason)
        if not page.mirror_of:
            return move
        return replace(move, since=page.since, until=page.read_at)
