"""Crawl and match together: what is watched for whom, fetched once, and who is notified."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.records.changes import DocumentChanged
from schemas.records.crawls import CrawlOptions, LinksFound, Uncover
from schemas.records.requests import Cancel, Pause, Subscribe
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import CHANGES
from streams.agents.crawl import left_out
from streams.agents.crawl.memory import page_key
from streams.agents.match.outcomes import STEP
from streams.agents.match.register.counts import MAX_PATIENCES
from streams.agents.match.register.requests import Rules
from streams.text.signatures import signature_of
from tests.fakes.crawling import CrawledSite, SitePage
from tests.fakes.events import event
from tests.fakes.regions import added

A, B, C = "http://site.test/", "http://site.test/b", "http://site.test/c"
SITE = {A: SitePage((B, C)), B: SitePage((A,)), C: SitePage()}


def subscribe(url: str = A, session: str = "one", depth: int | None = 1, **more: Any) -> Subscribe:
    crawl = None if depth is None else CrawlOptions(depth, **more)
    receiver = Receiver(session=session)
    return Subscribe(url, receiver, session, keywords=("argus",), options=Options(crawl=crawl))


def crawled(*requests: Subscribe, **site: Any) -> CrawledSite:
    found = CrawledSite({**SITE, **site})
    found.ask(*requests)
    return found


def change(site: CrawledSite, url: str) -> None:
    watch = site.watches[url]
    fact = DocumentChanged(
        id=f"change of {url}",
        url=url,
        watch=watch.id,
        slot=site.now,
        part=0,
        content_type="text/html",
        language="en",
        regions=(added("argus sleeps"),),
        at=site.now,
    )
    site.send(CHANGES.name, fact)
    site.run()


def told(site: CrawledSite) -> list[tuple[str | None, str, str]]:
    return [(each.receiver.session, each.url, each.document) for each in site.notifications]


def test_a_change_of_a_page_notifies_its_subscribers_and_those_whose_crawl_covers_it() -> None:
    site = crawled(subscribe(), subscribe(B, "two", None))

    change(site, B)

    assert told(site) == [("two", B, ""), ("one", A, B)] or told(site) == [
        ("one", A, B),
        ("two", B, ""),
    ]


def test_a_change_of_the_document_notifies_its_own_subscribers_alone() -> None:
    site = crawled(subscribe(), subscribe(B, "two", None))

    change(site, A)

    assert told(site) == [("one", A, "")]


def test_a_page_that_several_cover_is_one_watch_with_the_smallest_interval() -> None:
    slow = subscribe(B, "two", None)
    slow = replace(slow, options=replace(slow.options, interval=3_600))

    site = crawled(slow, subscribe(), subscribe(A, "three"))

    assert site.watches[B].interval == 600
    assert len(site.watches[B].views) == 1


def test_the_notification_names_the_subscription_that_crawls() -> None:
    site = crawled(subscribe())

    change(site, B)

    (notification,) = site.notifications
    assert notification.subscription == site.watches[A].id


def test_a_crawl_that_is_cancelled_leaves_what_others_watch() -> None:
    site = crawled(subscribe(), subscribe(B, "two", None))

    site.ask(Cancel(A, Receiver(session="one"), "end"))

    assert set(site.watches) == {B}
    assert not site.rows
    change(site, B)
    assert told(site) == [("two", B, "")]


def test_what_waits_on_a_page_is_notified_once_the_crawl_is_patient_no_more() -> None:
    hasty = replace(subscribe(), replace=True)
    site = crawled(replace(hasty, options=replace(hasty.options, patience=3_600)))
    change(site, B)
    assert not site.notifications

    site.ask(replace(hasty, request_id="hasty"))

    assert told(site) == [("one", A, B)]


def test_a_page_that_is_waited_for_with_as_many_patiences_as_allowed_is_not_covered() -> None:
    def patient(seconds: int, url: str, depth: int | None = None) -> Subscribe:
        asked = subscribe(url, f"patient {seconds}", depth)
        options = replace(asked.options, patience=seconds)
        return replace(asked, manager="one", options=options)

    several = [patient(60 * number, B) for number in range(1, MAX_PATIENCES + 1)]
    site = crawled(*several, patient(999, A, 1))

    gone = site.pages[site.watches[A].id, B]
    assert isinstance(gone, PageRemoved)
    assert "different patiences" in gone.reason


def test_a_pause_of_the_crawl_pauses_all_its_pages() -> None:
    site = crawled(subscribe())

    site.ask(Pause(A, Receiver(session="one"), "rest"))

    assert {url: watch.paused for url, watch in site.watches.items()} == dict.fromkeys(
        (A, B, C), True
    )


def test_a_second_crawl_learns_the_links_that_the_first_has_found() -> None:
    site = crawled(subscribe(depth=2), subscribe(B, "two", 2))

    crawl = site.watches[A].id
    second = next(own for own, _ in site.pages if own != crawl)

    assert site.covered(second) == {A, C}
    assert site.fetches.count(B) == 2


def test_a_second_crawl_learns_them_though_the_clock_was_put_back() -> None:
    site = crawled(subscribe(depth=2))
    site.now = 500

    site.ask(subscribe(B, "two", 2))

    second = next(own for own, _ in site.pages if own != site.watches[A].id)
    assert site.covered(second) == {A, C}


def test_pages_that_come_and_go_are_facts_and_notify_who_asks() -> None:
    site = crawled(subscribe(notify_pages=True))
    site.notifications.clear()
    new = "http://site.test/new"
    site.site = {**SITE, A: SitePage((B, new))}

    site.read(A)
    site.run()

    assert isinstance(site.pages[site.watches[A].id, new], PageAdded)
    gone = site.pages[site.watches[A].id, C]
    assert isinstance(gone, PageRemoved)
    assert gone.reason == "no covered page links to it any more"
    assert [(each.status, each.document) for each in site.notifications] == [
        ("pageRemoved", C),
        ("pageAdded", new),
    ]
    assert set(site.watches) == {A, B, new}


def test_a_kill_between_any_two_events_loses_no_page() -> None:
    whole = crawled(subscribe(depth=2))
    for survived in range(whole.handled):
        site = CrawledSite(SITE)
        site.send("subscription-requests", subscribe(depth=2))
        site.run(survived)
        site.start_crawl()
        site.run()
        assert set(site.watches) == set(whole.watches)
        assert site.rows.keys() == whole.rows.keys()


def test_a_sitemap_is_read_for_its_links_and_notifies_nobody() -> None:
    sitemap = f"{A}sitemap.xml"
    site = CrawledSite({**SITE, A: SitePage(), sitemap: SitePage((C,))})
    site.ask(subscribe(sitemap=True))

    change(site, sitemap)
    change(site, C)

    assert told(site) == [("one", A, C)]


def test_links_that_were_read_while_crawl_was_away_are_followed() -> None:
    site = CrawledSite(SITE, missed=[])
    site.ask(subscribe())

    site.return_crawl()

    assert set(site.watches) == {A, B, C}


def test_a_subscription_that_is_repeated_after_its_end_crawls_no_more() -> None:
    request = replace(subscribe(sitemap=True), request_id="r1")
    site = crawled(request)

    site.ask(Cancel(A, Receiver(session="one"), "one"), request)

    assert not site.watches
    assert not site.rows


@pytest.mark.parametrize("sitemap", [False, True])
def test_a_kill_between_any_two_parts_of_a_beginning_loses_no_page(*, sitemap: bool) -> None:
    pages = {**SITE, f"{A}sitemap.xml": SitePage(("http://site.test/d",))}
    request = subscribe(depth=2, sitemap=sitemap)
    whole = crawled(request, **pages)
    for survived in range(whole.carried_out):
        site = CrawledSite({**SITE, **pages}, killed_after=survived)
        site.ask(request)
        assert set(site.watches) == set(whole.watches), survived
        assert site.rows.keys() == whole.rows.keys(), survived


def test_a_kill_between_any_two_parts_leaves_no_page_that_is_linked_to_no_more() -> None:
    old = {f"{A}{name}": SitePage() for name in "defghi"}
    d, e, f, g, h, i = old
    old |= {d: SitePage((e,)), e: SitePage((f,)), f: SitePage((g, h)), A: SitePage((B, C, d, e))}
    old |= {B: SitePage((i,))}
    new = {**old, A: SitePage((C, B))}

    def changed(survived: int) -> CrawledSite:
        site = CrawledSite(old)
        site.ask(subscribe(depth=5, max_pages=8))
        site.site, site.carried_out, site.killed_after = new, 0, survived
        site.read(A)
        site.run()
        return site

    whole = changed(-1)
    for survived in range(whole.carried_out):
        site = changed(survived)
        assert set(site.watches) == set(whole.watches), survived
        assert site.rows == whole.rows, survived


def test_links_of_a_page_with_very_many_subscriptions_are_passed_on_in_parts() -> None:
    site = CrawledSite({A: SitePage((B,))})
    site.ask(*(subscribe(session=f"s{number}", depth=None) for number in range(STEP)))
    site.ask(subscribe())
    watch = site.watches[A]
    (view,) = (view.id for view in watch.views if view.links)
    found = LinksFound("l", A, watch.id, 5, (B,), (), "", 5, view)

    parts = list(site.match.decide(event(found, topic=CHANGES.name)).rest or ())

    sent = [send for part in parts for send in part.sends]
    assert len(sent) == 1
    assert len(parts) > len(sent)


def test_the_crawls_of_a_manager_cover_as_many_pages_together_as_they_may() -> None:
    pages = tuple(f"{A}p{number}" for number in range(20))
    others = tuple(f"{C}/p{number}" for number in range(20))
    site = CrawledSite(
        {A: SitePage(pages), C: SitePage(others)}, rules=Rules(1, pages_per_manager=15)
    )
    site.ask(subscribe(), subscribe(C, "two"), replace(subscribe(session="three"), manager="else"))

    first, second = site.watches[A].id, site.watches[C].id
    assert len(site.covered(first)) == 15
    assert not site.covered(second)
    found = [fact for (crawl, _), fact in site.pages.items() if crawl == second]
    refused = [fact.reason for fact in found if isinstance(fact, PageRemoved)]
    assert all("VOKTER_MAX_PAGES_PER_MANAGER" in reason for reason in refused)
    assert len(refused) == 20
    assert len(site.covered(next(own for own, _ in site.pages if own not in (first, second)))) == 15
    # Neither match nor crawl keeps anything of what there is no room for.
    assert len([key for key in site.rows if b"\0" in key]) == 15 + 15 + 3


def test_a_crawl_that_ends_makes_room_for_others_of_its_manager() -> None:
    others = f"{C}/1", f"{C}/2"
    site = CrawledSite({**SITE, C: SitePage(others)}, rules=Rules(1, pages_per_manager=2))
    site.ask(subscribe(), subscribe(C, "two"))
    second = site.watches[C].id
    site.ask(Cancel(A, Receiver(session="one"), "end"))

    site.ask(replace(subscribe(C, "two", 2), replace=True, request_id="again"))

    assert site.covered(second) == {*others}


def test_a_crawl_without_room_asks_for_one_page_of_each_that_is_read() -> None:
    pages = tuple(f"{A}p{number}" for number in range(20))
    site = CrawledSite({A: SitePage(pages)}, rules=Rules(1, pages_per_manager=5))
    site.ask(subscribe())

    site.site = {A: SitePage((*pages, f"{A}new"))}
    site.read(A)
    site.run()
    handled = site.handled  # once it is said of each page why it is not covered
    site.site = {A: SitePage((*pages, f"{A}newer"))}
    site.read(A)
    site.run()

    # The links, one question, its answer to crawl and to all, and what is asked for no more.
    assert site.handled - handled < 10


def test_each_page_that_a_bound_leaves_out_is_said_with_that_bound_and_has_no_row() -> None:
    pages = tuple(f"{A}p{number}" for number in range(9))
    days = tuple(f"{A}events?date=2031-{at // 28 + 1:02}-{at % 28 + 1:02}" for at in range(60))
    site = CrawledSite({A: SitePage((*days, *pages))})
    site.ask(subscribe(max_pages=56))
    crawl = site.watches[A].id

    left_out = {
        url: fact.reason for (_, url), fact in site.pages.items() if isinstance(fact, PageRemoved)
    }

    assert len(site.covered(crawl)) == 55
    assert len(site.rows) == 1 + 56
    assert left_out == {
        **dict.fromkeys(days[50:], "50 pages of this calendar are covered, the most of one"),
        **dict.fromkeys(pages[5:], "56 pages are covered (crawl.maxPages)"),
    }
    assert all(not fact.since for fact in site.pages.values() if isinstance(fact, PageRemoved))


def mirrored(pages: tuple[str, ...] = (B, C)) -> CrawledSite:
    """Return a site of which one page has become a mirror, and which has these links now."""
    alike = SitePage(signature=signature_of(" ".join(map(str, range(99)))))
    site = crawled(subscribe(), **{B: alike, C: alike})
    mirror = site.pages[site.watches[A].id, C]
    assert isinstance(mirror, PageRemoved)
    assert mirror.mirror_of == B
    site.site = {**site.site, A: SitePage(pages)}
    return site


def test_a_mirror_that_is_gone_was_watched_until_it_became_one() -> None:
    site = mirrored((B,))
    crawl = site.watches[A].id
    mirror = site.pages[crawl, C]

    site.read(A)
    site.run()

    gone = site.pages[crawl, C]
    assert isinstance(gone, PageRemoved)
    assert isinstance(mirror, PageRemoved)
    assert gone.reason == "no covered page links to it any more"
    assert mirror.since <= gone.since <= gone.until <= mirror.at < gone.at


def test_a_mirror_that_is_said_again_is_as_it_was() -> None:
    site = mirrored()
    crawl = site.watches[A].id
    mirror = site.pages[crawl, C]
    row = site.rows[page_key(crawl, C)]

    said = Uncover(C, crawl, "default", "alike", mirror_of=B)
    site.ask(replace(said, since=row.since, until=row.read_at))

    again = site.pages[crawl, C]
    assert isinstance(mirror, PageRemoved)
    assert isinstance(again, PageRemoved)
    assert again.at > mirror.at
    assert mirror.since <= again.since <= again.until <= mirror.at


def test_a_page_that_is_removed_again_after_a_kill_of_crawl_is_not_said_to_be_left_out() -> None:
    site = crawled(subscribe())
    crawl, rows = site.watches[A].id, dict(site.rows)
    site.site = {A: SitePage((B,))}

    def unlink() -> object:
        site.read(A)
        site.run()
        return site.pages[crawl, C]

    gone = unlink()
    site.rows = rows  # killed before it had written that the command was sent
    site.start_crawl()

    assert isinstance(gone, PageRemoved)
    assert gone.since
    assert unlink() is gone


def test_a_page_that_a_bound_leaves_out_after_it_was_covered_is_said_to_be_left_out() -> None:
    site = crawled(subscribe(max_pages=3))
    crawl = site.watches[A].id
    last = f"{A}last"
    for links in ((B,), (B, last), (B, last, C)):
        site.site = {A: SitePage(links)}
        site.read(A)
        site.run()

    left_out = site.pages[crawl, C]
    assert isinstance(left_out, PageRemoved)
    assert left_out.reason == "3 pages are covered (crawl.maxPages)"
    assert not left_out.since


def test_a_mirror_that_stood_for_itself_again_was_watched_since_then() -> None:
    site = mirrored((C,))
    alike = site.site[C]
    site.read(A)
    site.run()
    own = site.pages[site.watches[A].id, C]
    assert isinstance(own, PageAdded)

    # C is another page for a while, so that B is the first with the text of both.
    for pages, text in (((B, C), SitePage()), ((B, C), alike), ((B,), alike)):
        site.site = {A: SitePage(pages), B: alike, C: text}
        for url in filter(site.watches.__contains__, (C, A)):
            site.read(url)
            site.run()

    gone = site.pages[site.watches[A].id, C]
    assert isinstance(gone, PageRemoved)
    assert gone.until
    assert gone.since >= own.since


def test_a_calendar_without_end_is_said_of_as_many_pages_as_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(left_out, "MAX_NAMED", 5)
    site = CrawledSite({A: SitePage(tuple(f"{A}p{number}" for number in range(30)))})
    site.ask(subscribe(max_pages=2))
    site.read(A)
    site.run()

    assert sum(isinstance(fact, PageRemoved) for fact in site.pages.values()) == 5


def test_a_page_that_another_bound_leaves_out_by_now_is_said_with_that_one() -> None:
    last = f"{A}last"
    site = CrawledSite({A: SitePage((B, C, last))})
    site.ask(subscribe(max_pages=2))

    site.ask(replace(subscribe(max_pages=3), replace=True, request_id="again"))

    left_out = site.pages[site.watches[A].id, last]
    assert isinstance(left_out, PageRemoved)
    assert left_out.reason == "3 pages are covered (crawl.maxPages)"


def test_a_page_that_was_left_out_is_covered_once_there_is_room() -> None:
    site = crawled(subscribe(max_pages=2))
    crawl = site.watches[A].id
    assert isinstance(site.pages[crawl, C], PageRemoved)

    site.site = {A: SitePage((C,))}
    site.read(A)
    site.run()

    assert site.covered(crawl) == {C}
