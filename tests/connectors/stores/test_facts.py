"""What a store lists about one subscription, a document and a client."""

from dataclasses import replace
from typing import Any

import pytest

from connectors.stores.opening import Store
from connectors.stores.pages import DAY_MS, ChangesInSpan, DocumentSpan, ListingPage
from schemas.records.changes import DocumentChanged, Region
from schemas.records.crawls import Coverage
from schemas.records.deliveries import ClientGone, Delivered, DeliveryFailed
from schemas.records.facts import Fact
from schemas.records.failures import DocumentUnreachable
from schemas.records.history import ChangeHistory
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import Cancelled, PageAdded, PageRemoved, Subscribed
from schemas.records.subscriptions import EarlierView, Options, Receiver, Subscription
from tests.fakes.regions import added
from tests.fakes.variants import varied

URL = "http://example.test/"
HOOK = "http://client.test/hook"
ZEUS = added("Zeus")


def begun(key: str = "s1", manager: str = "default", at: int = 100) -> Fact:
    who = (URL, URL, Receiver(HOOK))
    body = Subscription(key, "s1", manager, *who, ("zeus",), Options(interval=60), at)
    return Subscribed("r", body, URL, None, at)


def ended(key: str, at: int) -> Fact:
    return Cancelled("r", key, "default", URL, None, at)


def change(name: str, at: int, url: str = URL, region: Region | None = None) -> DocumentChanged:
    regions = (region or ZEUS,)
    return DocumentChanged(name, url, "s1", at, 0, "text/html", "en", regions, at)


def notified(name: str, at: int, client: str | None = HOOK, **fields: Any) -> Notification:
    receiver = Receiver(client, None if client else "me")
    fact = Notification(
        name, "c", "s1", "default", receiver, "ok", URL, "", (), False, at, 0, 0, "w", test=False
    )
    return varied(fact, **fields)


def delivered(name: str, at: int, client: str = HOOK) -> Delivered:
    return Delivered(name, "s1", "default", client, 1, 200, at)


def ids(page: ListingPage[Any] | None) -> list[str]:
    assert page is not None
    return [getattr(item, "id", None) or item.notification for item in page.items]


class TestOneSubscription:
    async def test_it_is_found_as_it_is_listed(self, store: Store) -> None:
        await store.read_side.record([begun(), begun("s2")])
        listed = (await store.subscriptions.page("default", None, 10)).items
        assert [await store.subscriptions.get("default", name) for name in ("s1", "s2")] == [
            *listed
        ]

    async def test_one_that_is_unknown_or_another_managers_is_none(self, store: Store) -> None:
        await store.read_side.record([begun(manager="other")])
        assert await store.subscriptions.get("default", "s1") is None
        assert await store.subscriptions.get("other", "s2") is None


class TestChanges:
    async def test_they_are_whole_and_newest_first(self, store: Store) -> None:
        whole = change("c2", 300, region=added("Hera\ud800"))
        gone = DocumentUnreachable("c3", URL, "s1", 400, "", "timed out", 400)
        await store.read_side.record(
            [begun(), gone, change("c1", 200), whole, change("x", 250, URL + "x")]
        )
        page = await store.facts.changes("default", URL, None, 10)
        assert page == ListingPage((gone, whole, change("c1", 200)), None)

    async def test_a_manager_without_a_subscription_of_a_document_sees_nothing(
        self, store: Store
    ) -> None:
        await store.read_side.record([begun(manager="other"), change("c1", 200)])
        assert await store.facts.changes("default", URL, None, 10) is None
        assert await store.facts.changes("other", URL + "x", None, 10) is None
        assert ids(await store.facts.changes("other", URL, None, 10)) == ["c1"]

    async def test_only_those_from_the_time_of_a_subscription_are_listed(
        self, store: Store
    ) -> None:
        await store.read_side.record([change(f"c{at}", at) for at in (50, 150, 250, 350)])
        await store.read_side.record([begun("s1", at=100), begun("s2", at=200), ended("s1", 220)])
        assert ids(await store.facts.changes("default", URL, None, 10)) == ["c350", "c250", "c150"]
        await store.read_side.record([ended("s2", 300)])
        assert ids(await store.facts.changes("default", URL, None, 10)) == ["c250", "c150"]

    async def test_those_of_earlier_views_of_a_subscription_stay_listed(self, store: Store) -> None:
        fact = begun()
        assert isinstance(fact, Subscribed)
        muted = (EarlierView("", 200), EarlierView("a", 300), EarlierView("", 400))
        one = replace(fact.subscription, view_id="b", earlier_views=muted)
        every = [("c1", 150, ""), ("c2", 250, "a"), ("c3", 350, ""), ("c4", 450, "b")]
        others = [("x1", 250, ""), ("x2", 450, "a"), ("x3", 50, "")]
        changes = [replace(change(name, at), view=view) for name, at, view in every + others]
        await store.read_side.record([fact, replace(fact, subscription=one, at=400), *changes])
        found: list[str] = []
        cursor: str | None = None
        for _ in range(2):
            page = await store.facts.changes("default", URL, cursor, 2, "s1")
            assert page is not None
            found, cursor = found + ids(page), page.next
        assert (found, cursor) == (["c4", "c3", "c2", "c1"], None)
        assert await store.facts.change("default", URL, "c2", "s1") == changes[1]
        for other in ("x1", "x2", "x3"):
            assert await store.facts.change("default", URL, other, "s1") is None

    async def test_those_of_a_page_that_a_crawl_covers_are_listed_under_the_crawl(
        self, store: Store
    ) -> None:
        page = f"{URL}page"
        at_page = [replace(change(f"c{at}", at), url=page) for at in (150, 250, 350)]
        covered = PageAdded(Coverage("s1", URL, URL, 1), "default", page, None, 220, since=200)
        await store.read_side.record([begun(), *at_page, covered])
        assert await store.facts.changes("default", page, None, 10) is None
        assert await store.facts.changes("default", page, None, 10, "s2") is None
        assert await store.facts.changes("other", page, None, 10, "s1") is None
        assert ids(await store.facts.changes("default", page, None, 10, "s1")) == ["c350", "c250"]
        assert await store.facts.change("default", page, "c150", "s1") is None

        gone = PageRemoved("s1", "default", "gone", page, None, 300, since=200)
        await store.read_side.record([gone])

        assert ids(await store.facts.changes("default", page, None, 10, "s1")) == ["c250"]

        left_out = PageRemoved("s1", "default", "full", page, None, 400, since=0)
        await store.read_side.record([left_out])

        assert ids(await store.facts.changes("default", page, None, 10, "s1")) == ["c250"]

    async def test_of_a_mirror_that_is_gone_they_are_those_until_it_became_one(
        self, store: Store
    ) -> None:
        page = f"{URL}page"
        at_page = [replace(change(f"c{at}", at), url=page) for at in (150, 250, 350, 450)]
        mirror = PageRemoved("s1", "default", "alike", page, None, 300, since=200, mirror_of=URL)
        gone = PageRemoved("s1", "default", "gone", page, None, 400, since=200, until=300)

        for fact in (mirror, gone):
            await store.read_side.record([begun(), *at_page, fact])

            assert ids(await store.facts.changes("default", page, None, 10, "s1")) == ["c250"]

    async def test_of_a_page_that_a_crawl_has_left_out_nothing_is_listed(
        self, store: Store
    ) -> None:
        page = f"{URL}page"
        left_out = PageRemoved("s1", "default", "full", page, None, 300, since=0)
        others = replace(change("c300", 300), url=page)
        await store.read_side.record([begun(), others, left_out])
        assert await store.facts.changes("default", page, None, 10, "s1") is None

    async def test_pages_hold_each_once(self, store: Store) -> None:
        await store.read_side.record([begun(), *(change(f"c{n}", 200 + n // 3) for n in range(9))])
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await store.facts.changes("default", URL, cursor, 2)
            assert page is not None
            found += ids(page)
            cursor = page.next
            if cursor is None:
                break
        assert found == ["c8", "c7", "c6", "c5", "c4", "c3", "c2", "c1", "c0"]

    @pytest.mark.parametrize("limit", ["MAX_PAGE", "MAX_PAGE_TEXT"])
    async def test_a_page_of_large_changes_is_shorter_and_has_a_next(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, limit: str
    ) -> None:
        monkeypatch.setattr(f"connectors.stores.read_side.{limit}", 1)
        await store.read_side.record([begun(), change("c1", 200), change("c2", 300)])
        first = await store.facts.changes("default", URL, None, 10)
        assert first is not None
        assert (ids(first), first.next) == (["c2"], "300-c2")
        assert ids(await store.facts.changes("default", URL, first.next, 10)) == ["c1"]

    async def test_one_is_loaded_by_its_id_if_the_manager_may_see_it(self, store: Store) -> None:
        early, elsewhere = change("c0", 50), change("c2", 200, URL + "x")
        gone = DocumentUnreachable("c3", URL, "s1", 250, "", "timed out", 250)
        await store.read_side.record([begun(), begun("s2", "other"), early, elsewhere, gone])
        await store.read_side.record([change("c1", 200), ended("s2", 150)])
        assert await store.facts.change("default", URL, "c1", "s1") == change("c1", 200)
        assert await store.facts.change("default", URL, "c3", "s1") == gone
        for asked in ("c0", "c2", "c9", "s1"):
            assert await store.facts.change("default", URL, asked, "s1") is None
        assert await store.facts.change("other", URL, "c1", "s2") is None
        assert await store.facts.change("default", URL, "c1", "s2") is None

    @pytest.mark.parametrize("cursor", ["", "x", "x-y"])
    async def test_a_cursor_of_no_page_is_an_error(self, store: Store, cursor: str) -> None:
        await store.read_side.record([begun()])
        with pytest.raises(ValueError, match="not a cursor"):
            await store.facts.changes("default", URL, cursor, 2)


class TestClients:
    async def test_a_client_has_its_own_notifications_newest_first(self, store: Store) -> None:
        mine = [notified("n1", 200), notified("n2", 300, test=True)]
        others = [notified("n3", 400, HOOK + "2"), notified("n4", 400, manager="other")]
        await store.read_side.record([*mine, *others, notified("n5", 500, None)])
        page = await store.facts.of_client("notification", "default", HOOK, None, 10)
        assert page == ListingPage((mine[1], mine[0]), None)
        assert ids(await store.facts.of_client("notification", "default", "me", None, 10)) == ["n5"]
        assert ids(await store.facts.of_client("notification", "other", HOOK, None, 10)) == ["n4"]
        assert ids(await store.facts.of_client("notification", "other", "me", None, 10)) == []

    async def test_a_client_is_known_by_its_canonical_url(self, store: Store) -> None:
        await store.read_side.record([notified("n1", 200)])
        sloppy = "HTTP://client.test:80/hook"
        assert ids(await store.facts.of_client("notification", "default", sloppy, None, 10)) == [
            "n1"
        ]

    async def test_managers_and_clients_are_distinguished(self, store: Store) -> None:
        await store.read_side.record([notified("n1", 1, None, manager="a b", session="c")])
        assert ids(await store.facts.of_client("notification", "a", "b c", None, 10)) == []

    async def test_a_delivery_has_its_last_outcome(self, store: Store) -> None:
        failed = DeliveryFailed("n1", "s1", "default", HOOK, 3, "answered 500", 300)
        other = DeliveryFailed("n2", "s1", "default", HOOK, 1, "gone", 350)
        await store.read_side.record([failed, other, delivered("n1", 400)])
        page = await store.facts.of_client("delivery", "default", HOOK, None, 10)
        assert page == ListingPage((delivered("n1", 400), other), None)

    async def test_a_page_has_a_next_if_another_follows(self, store: Store) -> None:
        await store.read_side.record([notified("n1", 200), notified("n2", 300)])
        first = await store.facts.of_client("notification", "default", HOOK, None, 1)
        assert (ids(first), first.next) == (["n2"], "300-n2")
        last = await store.facts.of_client("notification", "default", HOOK, first.next, 1)
        assert (ids(last), last.next) == (["n1"], None)


async def test_the_newest_fact_of_each_kind_is_loaded_for_each_client(store: Store) -> None:
    other, gone = "http://client.test/other", ClientGone("default", HOOK, "410", 350)
    failed = DeliveryFailed("n3", "s1", "default", other, 3, "answered 500", 300)
    foreign = replace(failed, notification="n4", manager="another", at=900)
    facts: list[Any] = [delivered("n1", 200), delivered("n2", 400), failed, foreign, gone]
    await store.read_side.record(facts)
    find = store.facts.newest_of_clients
    found = await find(["delivery", "client"], "default", [HOOK, other, "http://nobody.test/"])
    assert sorted(found, key=lambda each: each.at) == [failed, gone, delivered("n2", 400)]
    assert await find(["delivery"], "default", []) == []


async def test_changes_are_counted_by_day(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("sqlite", "mongo"):
        monkeypatch.setattr(f"connectors.stores.{kind}.facts.MAX_COUNTED", 3)
    facts = [change(f"c{at}", at) for at in (1, DAY_MS - 1, DAY_MS, 2 * DAY_MS, 3 * DAY_MS)]
    view = replace(change("v1", DAY_MS), view="v")
    await store.read_side.record([*facts, view, change("x", DAY_MS, URL + "x")])
    spans = [
        DocumentSpan(URL, "", 0, DAY_MS),
        DocumentSpan(URL, "", 1, 9 * DAY_MS),
        DocumentSpan(URL, "v", 0, 9 * DAY_MS),
        DocumentSpan(URL + "y", "", 0, 9 * DAY_MS),
    ]
    assert await store.facts.change_counts(spans) == [
        ChangesInSpan({0: 2, 1: 1}, DAY_MS),
        ChangesInSpan({1: 1, 2: 1, 3: 1}, 3 * DAY_MS),
        ChangesInSpan({1: 1}, DAY_MS),
        ChangesInSpan(),
    ]
    assert await store.facts.change_counts([]) == []


async def test_a_notification_is_loaded_by_its_id_for_its_manager(store: Store) -> None:
    await store.read_side.record([notified("n1", 100), delivered("n2", 200)])
    assert await store.facts.notification("default", "n1") == notified("n1", 100)
    assert await store.facts.notification("other", "n1") is None
    assert await store.facts.notification("default", "n2") is None


async def test_facts_of_a_client_are_loaded_by_the_ids_of_its_notifications(store: Store) -> None:
    every: list[Fact] = [
        notified("n1", 100),
        notified("n2", 200),
        notified("n3", 300),
        delivered("n1", 150),
    ]
    other = [notified("n4", 100, "http://other.test/"), notified("n5", 1, manager="other")]
    await store.read_side.record([*every, *other])
    ids = ["n1", "n3", "n4", "n5", "n9"]
    page = await store.facts.with_ids("notification", "default", [HOOK], ids)
    assert [fact.id for fact in page.items] == ["n3", "n1"]
    page = await store.facts.with_ids("delivery", "default", [HOOK], ids)
    assert [fact.notification for fact in page.items] == ["n1"]
    assert (await store.facts.with_ids("delivery", "default", [HOOK], [])).items == ()
    page = await store.facts.with_ids("notification", "default", [HOOK, "http://other.test"], ids)
    assert [fact.id for fact in page.items] == ["n3", "n4", "n1"]


class TestHistory:
    async def test_it_has_the_changes_in_one_view_while_a_manager_had_subscriptions_with_it(
        self, store: Store
    ) -> None:
        mine = subscribed("s1", "part", at=200), subscribed("s2", "", at=100)
        seen = [replace(change(f"p{at}", at), view="part") for at in (150, 250, 350)]
        await store.read_side.record([*mine, *seen, change("c300", 300)])
        found = await store.facts.history("default", URL, "part", 0, None, 10)
        assert found == ChangeHistory((seen[2], seen[1]), None, 200, None)
        assert await store.facts.history("default", URL, "other", 0, None, 10) is None
        await store.read_side.record([ended("s1", 300)])
        found = await store.facts.history("default", URL, "part", 0, None, 10)
        assert found == ChangeHistory((seen[1],), None, 200, 300)

    async def test_another_managers_is_not_seen(self, store: Store) -> None:
        await store.read_side.record([subscribed("s1", "part", manager="other")])
        await store.read_side.record([replace(change("c1", 200), view="part")])
        assert await store.facts.history("default", URL, "part", 0, None, 10) is None
        await store.read_side.record([subscribed("s2", "", at=100), change("c2", 200)])
        assert await store.facts.history("default", URL, "part", 0, None, 10) is None

    async def test_it_is_read_from_a_time_on_in_pages(self, store: Store) -> None:
        every = [change(f"c{at}", at) for at in (150, 250, 350, 450)]
        await store.read_side.record([begun(), *every])
        first = await store.facts.history("default", URL, "", 250, None, 2)
        assert first == ChangeHistory((every[3], every[2]), "350-c350", 100, None)
        second = await store.facts.history("default", URL, "", 250, first.next, 2)
        assert second == ChangeHistory((every[1],), None, 100, None)
        with pytest.raises(ValueError, match="not a cursor"):
            await store.facts.history("default", URL, "", 0, "x", 2)


def subscribed(key: str, view: str, at: int = 100, manager: str = "default") -> Fact:
    fact = begun(key, manager, at)
    assert isinstance(fact, Subscribed)
    return replace(fact, subscription=replace(fact.subscription, view_id=view))
