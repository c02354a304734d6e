"""What a crawl covers, held to the plain meaning of its options."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.crawls import MANAGER_IS_FULL, CrawlOptions, PageSeen
from schemas.records.field_types import MAX_LINKS
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.crawl.coverage import (
    AHEAD,
    PER_TICK,
    PER_VISIT,
    STEP_LINKS,
    CrawlCoverage,
    Move,
    Moves,
)
from streams.agents.crawl.kept_links import MAX_LINK_TEXT, TEXT_PER_PAGE
from streams.text.signatures import signature_of

ROOT = "https://example.org/"
Site = Mapping[str, tuple[str, ...]]
LONG = " ".join(f"word{number}" for number in range(400))


def address(number: int) -> str:
    return ROOT if number == 0 else f"{ROOT}p{number}"


def subscription(**options: object) -> Subscription:
    crawl = CrawlOptions(**{"depth": 2, "max_pages": 1_000, **options})  # type: ignore[arg-type]  # its fields
    return Subscription(
        id="a1",
        watch="a1",
        manager="default",
        document_url=ROOT,
        url=ROOT,
        receiver=Receiver(session="s"),
        keywords=("argus",),
        options=Options(crawl=crawl),
        created=1,
    )


class Crawl:
    """A crawl of a site, with the rows and the commands that it makes."""

    def __init__(self, **options: object) -> None:
        self.coverage = CrawlCoverage(subscription(**options))
        self.rows: dict[str, Any] = {}
        self.watched: dict[str, Move] = {}
        self.moves: list[Move] = []
        self.run(self.coverage.begin())

    def run(self, moves: Moves) -> None:
        for move in moves:
            if move is not None:
                self.moves.append(move)
                self.apply(move)

    def apply(self, move: Move) -> None:
        if move.is_watched:
            self.watched[move.url] = move
        elif move.is_watched is False:
            self.watched.pop(move.url, None)
        if move.page is None:
            self.rows.pop(move.url, None)
        else:
            self.rows[move.url] = move.page

    def see(self, url: str, *links: str, at: int = 1, **more: object) -> None:
        self.run(self.coverage.see(seen(url, *links, at=at, **more)))

    def read(self, site: Site) -> None:
        """Read each page that is watched, until no new one is and no link waits."""
        done: set[str] = set()
        while (left := {ROOT, *self.watched} - done) or self.coverage.is_behind:
            if left:
                url = min(left)
                self.see(url, *site.get(url, ()))
                done.add(url)
            else:
                self.run(self.coverage.tick())

    def restarted(self) -> CrawlCoverage:
        """Return what another worker loads from the rows."""
        other = CrawlCoverage(self.coverage.subscription)
        for url in sorted(self.rows):
            other.load(self.rows[url])
        return other


def seen(url: str, *links: str, at: int = 1, **more: object) -> PageSeen:
    values = {"sources": (), "signature": "", **more}
    return PageSeen("a1", ROOT, url, tuple(links), at=at, **values)  # type: ignore[arg-type]  # its fields


def reachable(site: Site, depth: int) -> set[str]:
    found, edge = {ROOT}, {ROOT}
    for _ in range(depth):
        edge = {link for url in edge for link in site.get(url, ())} - found
        found |= edge
    return found


numbers = st.integers(0, 9)
sites = st.dictionaries(
    numbers.map(address), st.lists(numbers.map(address), max_size=4).map(tuple), max_size=10
)


@given(sites, st.integers(0, 5))
def test_a_crawl_covers_what_is_so_many_links_away(site: Site, depth: int) -> None:
    crawl = Crawl(depth=depth)

    crawl.read(site)

    assert {ROOT, *crawl.watched} == reachable(site, depth) == set(crawl.rows)


@given(sites, st.lists(sites, max_size=3), st.integers(0, 4))
def test_coverage_follows_the_links_as_they_change(
    site: Site, later: list[Site], depth: int
) -> None:
    crawl = Crawl(depth=depth)
    crawl.read(site)

    for each in later:
        site = {**site, **each}
        crawl.read(site)
        crawl.read(site)  # what a page links to is followed once that page is read

    assert {ROOT, *crawl.watched} == reachable(site, depth) == set(crawl.coverage.pages)


@given(sites, st.integers(1, 6))
def test_a_crawl_covers_as_many_pages_as_it_may(site: Site, most: int) -> None:
    crawl = Crawl(depth=5, max_pages=most)

    crawl.read(site)

    assert len(crawl.coverage.pages) == min(most, len(reachable(site, 5)))


@given(sites, sites, st.integers(0, 20))
def test_a_crash_within_a_page_loses_no_page_and_keeps_none(
    site: Site, later: Site, survived: int
) -> None:
    crawl = Crawl(depth=3)
    crawl.read(site)
    site = {**site, **later}
    for move in [*crawl.coverage.see(seen(ROOT, *site.get(ROOT, ())))][:survived]:
        if move is not None:
            crawl.apply(move)

    crawl.coverage = crawl.restarted()
    crawl.read(site)
    crawl.read(site)

    assert {ROOT, *crawl.watched} == reachable(site, 3) == set(crawl.rows)


@given(sites, sites, st.integers(0, 20), st.integers(0, 4))
def test_a_crawl_that_may_cover_one_page_at_a_time_covers_the_same_in_the_end(
    site: Site, later: Site, survived: int, depth: int
) -> None:
    module = "streams.agents.crawl.coverage"
    with (
        patch(f"{module}.AHEAD", 1),
        patch(f"{module}.PER_VISIT", 0),
        patch(f"{module}.PER_TICK", 1),
    ):
        crawl = Crawl(depth=depth)
        crawl.read(site)
        assert {ROOT, *crawl.watched} == reachable(site, depth) == set(crawl.rows)
        site = {**site, **later}
        for move in [*crawl.coverage.see(seen(ROOT, *site.get(ROOT, ())))][:survived]:
            if move is not None:
                crawl.apply(move)
        crawl.coverage = crawl.restarted()
        crawl.read(site)
        crawl.read(site)
        assert {ROOT, *crawl.watched} == reachable(site, depth) == set(crawl.rows)


def test_pages_are_covered_as_others_are_visited_and_by_and_by_though_none_is() -> None:
    crawl = Crawl(depth=5, max_pages=5_000)
    pages = [address(number) for number in range(1, 1_001)]
    crawl.see(ROOT, *pages)
    assert AHEAD <= len(crawl.watched) <= AHEAD + PER_VISIT
    before = len(crawl.watched)
    for url in pages[:50]:
        crawl.see(url, *(f"{url}/{number}" for number in range(20)))
    assert len(crawl.watched) <= before + 50 * PER_VISIT
    for _ in range(2_000 // PER_TICK):
        crawl.run(crawl.coverage.tick())
    assert len(crawl.watched) == 2_000, "with the 20 links of each of 50 pages"
    assert not crawl.coverage.is_behind


def test_what_a_page_links_to_anew_is_covered_at_once() -> None:
    crawl = Crawl(depth=1, max_pages=5_000)
    crawl.see(ROOT)
    crawl.see(ROOT, *(address(number) for number in range(1, 1_001)), at=2)
    assert len(crawl.watched) == 1_000
    assert all(move.is_news for move in crawl.watched.values())


@given(sites)
def test_the_end_of_a_crawl_forgets_all(site: Site) -> None:
    crawl = Crawl()
    crawl.read(site)

    crawl.run(crawl.coverage.end("cancelled"))

    assert not crawl.watched
    assert not crawl.rows
    assert not crawl.coverage.pages


def test_a_page_that_is_new_on_a_known_page_is_news_and_so_is_one_that_is_gone() -> None:
    crawl = Crawl()
    crawl.see(ROOT, address(1))
    crawl.see(ROOT, address(2), at=2)

    told = [(each.url, each.is_watched) for each in crawl.moves if each.is_news]

    assert told == [(address(1), False), (address(2), True)]


def test_a_mirror_is_watched_no_more_and_again_when_its_page_is_gone() -> None:
    crawl, signature = Crawl(), signature_of(LONG)
    crawl.see(ROOT, address(1), address(2))
    crawl.see(address(1), signature=signature)
    crawl.see(address(2), signature=signature_of(f"{LONG} more"))
    assert set(crawl.watched) == {address(1)}
    assert crawl.rows[address(2)].mirror_of == address(1)

    crawl.see(ROOT, address(2), at=2)

    assert set(crawl.watched) == {address(2)}
    assert crawl.rows[address(2)].mirror_of == ""


def test_one_full_partition_hides_no_room_of_others() -> None:
    pages = [address(number) for number in range(1, 41)]
    crawl = Crawl()

    def read(room: dict[int, int]) -> None:
        """Read the root, while each partition (odd and even pages) has room for so many."""
        crawl.see(ROOT, *pages)
        for url in list(crawl.watched):
            partition = pages.index(url) % 2
            if sum(pages.index(each) % 2 == partition for each in crawl.watched) > room[partition]:
                crawl.run(crawl.coverage.refuse(url, MANAGER_IS_FULL))

    read({0: 2, 1: 2})
    assert len(crawl.watched) == 4
    for _ in pages:
        read({0: 2, 1: 20})

    assert len(crawl.watched) == 22


def test_mirrors_are_watched_each_by_itself_once_that_is_asked_for() -> None:
    crawl, signature = Crawl(), signature_of(LONG)
    crawl.see(ROOT, address(1), address(2))
    crawl.see(address(1), signature=signature)
    crawl.see(address(2), signature=signature)

    crawl.run(crawl.coverage.follow_subscription(subscription(keep_mirrors=True)))

    assert set(crawl.watched) == {address(1), address(2)}


def test_texts_with_a_part_that_differs_are_no_mirrors() -> None:
    crawl = Crawl()
    crawl.see(ROOT, address(1), address(2))
    crawl.see(address(1), signature=signature_of(LONG))
    crawl.see(address(2), signature=signature_of(LONG.replace("word1", "other")))

    assert set(crawl.watched) == {address(1), address(2)}


def test_a_sitemap_and_feeds_are_followed_if_they_are_asked_for() -> None:
    crawl = Crawl(depth=1, sitemap=True, feeds=True)
    sitemap, feed = f"{ROOT}sitemap.xml", f"{ROOT}feed.xml"
    crawl.see(sitemap, address(1))
    crawl.see(ROOT, sources=(feed,))
    crawl.see(feed, address(2))

    watched = {url: move.page and move.page.coverage for url, move in crawl.watched.items()}
    depths = {url: (each.source, each.depth) for url, each in watched.items() if each}

    assert depths == {
        sitemap: (True, 0),
        feed: (True, 0),
        address(1): (False, 1),
        address(2): (False, 1),
    }


def test_a_narrower_scope_forgets_what_is_outside() -> None:
    crawl = Crawl(within="domain")
    crawl.see(ROOT, "https://docs.example.org/", address(1), "https://example.com/")
    assert set(crawl.watched) == {"https://docs.example.org/", address(1)}

    crawl.run(crawl.coverage.follow_subscription(subscription(within="host")))

    assert set(crawl.watched) == {address(1)}


def test_a_subscription_that_changes_changes_those_of_all_its_pages() -> None:
    crawl = Crawl()
    crawl.see(ROOT, address(1))
    crawl.moves.clear()

    crawl.run(crawl.coverage.follow_subscription(replace(subscription(), paused=True)))

    assert [(each.url, each.is_watched) for each in crawl.moves] == [(address(1), True)]


def test_the_rows_have_no_links_that_the_changed_subscription_does_not_follow() -> None:
    crawl = Crawl(within="domain")
    crawl.see(ROOT, "https://docs.example.org/", address(1))
    crawl.run(crawl.coverage.follow_subscription(subscription(within="host")))

    other = crawl.restarted()
    other.subscription = subscription(within="host")

    assert {link for page in other.pages.values() for link in page.links} == {address(1)}


def test_the_row_of_a_page_with_the_most_and_longest_links_can_be_written() -> None:
    crawl = Crawl(feeds=True)
    links = [f"{ROOT}{number}/{'x' * 900}" for number in range(MAX_LINKS)]

    crawl.see(ROOT, *links, sources=tuple(links), signature=signature_of(LONG))

    assert len(wire.encode(crawl.rows[ROOT])) < 1_000_000
    assert len(crawl.rows[ROOT].links) > 400


def test_a_calendar_is_covered_in_part() -> None:
    crawl = Crawl(depth=5)
    days = [
        f"{ROOT}events?date=2031-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29)
    ]
    crawl.see(ROOT, *days)

    assert len(crawl.watched) == 50
    assert "calendar" in crawl.coverage.refusal(days[-1])


def test_a_site_with_other_links_on_each_page_does_not_fill_the_memory() -> None:
    crawl = Crawl(depth=1, max_pages=50)
    pages = [address(number) for number in range(1, 50)]
    crawl.see(ROOT, *pages)
    for url in pages:
        crawl.see(url, *(f"{url}/{number}/{'x' * 180}" for number in range(MAX_LINKS)))

    links = {link for page in crawl.coverage.pages.values() for link in page.links}
    assert sum(map(len, links)) <= MAX_LINK_TEXT + 50 * TEXT_PER_PAGE
    # What is not new has room, and so has what takes the place of others.
    crawl.see(pages[-1], *pages[:5])
    assert crawl.rows[pages[-1]].links == tuple(pages[:5])
    crawl.see(ROOT, address(99))
    crawl.see(address(99), f"{ROOT}new")
    assert crawl.rows[address(99)].links == (f"{ROOT}new",)


@pytest.mark.slow  # four seconds of a core
def test_a_sweep_pauses_after_a_number_of_links_however_many_a_page_has() -> None:
    crawl = Crawl(depth=2)
    pages = [address(number) for number in range(1, 101)]
    crawl.see(ROOT, *pages, address(101))
    for url in pages:
        crawl.see(url, *(f"{ROOT}{number}" for number in range(MAX_LINKS)))

    moves = list(crawl.coverage.see(seen(ROOT, *pages, at=2)))

    # Before anything is decided: 100 pages with 2,000 links each.
    first = next(number for number, move in enumerate(moves) if move is not None)
    assert moves[:first].count(None) >= 100 * MAX_LINKS // STEP_LINKS


def test_a_link_that_is_gone_lets_no_crawl_follow_all_of_its_pages_again() -> None:
    crawl = Crawl(depth=2)
    pages = [address(number) for number in range(1, 500)]
    crawl.see(ROOT, *pages)
    for url in pages:
        crawl.see(url, ROOT)
    crawl.see(ROOT, *pages[1:], at=2)  # the first of a worker looks at all

    moves = list(crawl.coverage.see(seen(ROOT, *pages[2:], at=3)))

    assert crawl.coverage.pages.keys() == {ROOT, *pages[2:]}
    assert len(moves) < 20


def test_the_room_of_a_page_that_is_gone_is_filled_and_no_further_page_is_followed() -> None:
    pages = [address(number) for number in range(1, 500)]
    with patch("streams.agents.crawl.coverage.AHEAD", 500):
        crawl = Crawl(depth=2, max_pages=500)
        crawl.see(ROOT, *pages)
    for number, url in enumerate(pages, 1):
        crawl.see(url, address(1_000 + number))

    moves = list(crawl.coverage.see(seen(ROOT, *pages[1:], at=2)))

    assert len(crawl.coverage.pages) == 500
    assert address(1_002) in crawl.coverage.pages
    assert len(moves) < 20


def test_a_feed_for_which_there_was_no_room_is_followed_once_there_is() -> None:
    crawl, feed = Crawl(feeds=True, max_pages=4), f"{ROOT}feed"
    crawl.see(ROOT, address(1), address(2))
    crawl.see(ROOT, address(1))  # from this sweep on it is known that nothing was left out
    crawl.see(ROOT, address(1), address(2), address(3))
    crawl.see(address(1), sources=(feed,))
    assert feed not in crawl.watched

    crawl.see(ROOT, address(1), address(2))

    assert crawl.watched.keys() == {address(1), address(2), feed}


def test_more_depth_covers_what_was_too_far_away() -> None:
    crawl = Crawl(depth=1)
    crawl.read({ROOT: (address(1),), address(1): (address(2),)})
    crawl.see(ROOT, at=2)
    crawl.see(ROOT, address(1), at=3)
    crawl.see(address(1), address(2), at=3)

    crawl.run(crawl.coverage.follow_subscription(subscription(depth=2)))

    assert set(crawl.watched) == {address(1), address(2)}


def test_mirrors_are_promoted_one_after_another_also_by_another_worker() -> None:
    crawl, signature = Crawl(), signature_of(LONG)
    pages = [address(number) for number in range(1, 4)]
    crawl.see(ROOT, *pages)
    for url in pages:
        crawl.see(url, signature=signature)

    crawl.coverage = crawl.restarted()
    crawl.see(ROOT, *pages[1:], at=2)
    crawl.see(ROOT, *pages[2:], at=3)

    assert set(crawl.watched) == {pages[2]}
    assert not crawl.rows[pages[2]].mirror_of
