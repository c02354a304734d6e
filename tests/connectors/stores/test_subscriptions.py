"""Subscriptions as a store lists them, and their ends."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from unittest.mock import Mock

import pytest

from connectors.stores.mongo import subscriptions as mongo
from connectors.stores.opening import Store
from connectors.stores.pages import ListedSubscription
from connectors.stores.sqlite.listing_queries import OF_DOCUMENT
from connectors.stores.sqlite.subscriptions import ACTIVE_ID
from schemas.records.crawls import CrawlOptions
from schemas.records.documents import (
    Document,
    FailingDocument,
    FlappingDocument,
    LostDocument,
    PageWait,
)
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.waiting import ChangesWaiting
from tests.fakes.subscriptions import URL, WATCH, cancelled, expired, subscribed, subscription
from tests.fakes.variants import varied
from tests.harness.stores import Place


async def listed(store: Store, manager: str = "default") -> list[ListedSubscription]:
    return list((await store.subscriptions.page(manager, None, 100)).items)


async def states(store: Store) -> list[tuple[str, str]]:
    return [(item.subscription.id, item.state) for item in await listed(store)]


class TestListing:
    async def test_a_subscription_is_listed_with_its_watch(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        assert await listed(store) == [
            ListedSubscription(subscription(), "active", None, None, WATCH.interval, None, 0, None)
        ]

    async def test_a_subscription_is_listed_with_the_state_of_its_document(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed()])
        document = Document(URL, "s1", 1000, 1000, failures=2, last_error="timed out")
        await store.snapshots.compare_and_set(document, 0)
        await store.snapshots.record_checks([(URL, "s1", 1500), (URL, "s1", 1400)])
        [item] = await listed(store)
        assert (item.last_check, item.failures, item.last_error) == (1500, 2, "timed out")

    async def test_what_waits_to_stand_is_listed_for_who_has_that_patience(
        self, store: Store
    ) -> None:
        patient = varied(subscription(), patience=60)
        other = varied(subscription(), id="s2", patience_visits=3)
        begun = [Subscribed("r", each, URL, WATCH, 100) for each in (patient, other)]
        await store.read_side.record(begun)
        waits = ChangesWaiting("w", URL, "s1", 60, 0, 1, 500, 2, "it went back", 400, 600)
        later = replace(waits, changes=0, since=0, at=700)
        await store.read_side.record([later, waits])
        assert [item.waiting for item in await listed(store)] == [later, None]
        found = await store.subscriptions.get("default", patient.id)
        assert found is not None
        assert found.waiting == later
        await store.read_side.record([replace(waits, watch="s0", at=800)])
        assert [item.waiting for item in await listed(store)] == [None, None]

    async def test_the_state_of_another_watch_is_not_shown(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s0", 1000, 1000, failures=9), 0)
        await store.snapshots.record_checks([(URL, "s0", 1500)])
        [item] = await listed(store)
        assert (item.last_check, item.failures) == (None, 0)

    async def test_a_check_of_a_new_watch_replaces_that_of_the_old_one(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s0", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s0", 1500)])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1200, 1200), 1000)
        await store.snapshots.record_checks(
            [(URL, "s1", 1400), ("http://forgotten.test/", "s9", 1400)]
        )
        assert [item.last_check for item in await listed(store)] == [1400]

    async def test_a_document_that_waits_says_since_when_and_for_what(self, store: Store) -> None:
        def wait(since: int, reason: str, watch: str = "s1") -> PageWait:
            return PageWait(URL, watch, since, reason)

        await store.read_side.record([subscribed()])
        unknown = PageWait("http://unknown.test/", "s9", 1, "nobody watches it")
        await store.snapshots.record_waits([wait(1500, "its host"), unknown], [])
        [item] = await listed(store)
        assert (item.waiting_since, item.waiting_for) == (1500, "its host")
        await store.snapshots.record_waits([wait(1600, "a process")], [])
        assert await store.waits(10) == [wait(1500, "a process")]
        await store.snapshots.record_waits([], [URL])
        assert [item.waiting_since for item in await listed(store)] == [None]
        await store.snapshots.record_waits([wait(1700, "its host")], [])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s1", 1800)])
        assert await store.waits(10) == []
        await store.snapshots.record_waits([wait(1900, "its host")], [])
        await store.snapshots.forget(URL, "s1")
        assert await store.waits(10) == []

    async def test_a_wait_of_a_new_watch_replaces_that_of_the_old_one(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s0", 1000, 1000), 0)
        for watch, since in (("s0", 1500), ("s1", 1600)):
            await store.snapshots.record_waits([PageWait(URL, watch, since, "its host")], [])
        assert await store.waits(10) == [PageWait(URL, "s1", 1600, "its host")]
        assert [item.waiting_since for item in await listed(store)] == [1600]

    async def test_waits_that_belong_to_no_watch_or_document_are_pruned(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(f"{URL}2", "s2", 1000, 1000), 0)
        watched, stored = PageWait(URL, "s1", 1500, "a"), PageWait(f"{URL}2", "s2", 1600, "b")
        await store.snapshots.record_waits([watched, stored], [])
        await store.read_side.prune(0, 0)
        assert await store.waits(10) == [watched, stored]
        await store.read_side.record([cancelled(1700)])
        await store.read_side.prune(0, 0)
        assert await store.waits(10) == [stored]

    async def test_a_document_is_flapping_until_a_time(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        page = Document(URL, "s1", 1000, 1000, past=b"12345678", flapping_until=5000)
        await store.snapshots.compare_and_set(page, 0)
        await store.snapshots.compare_and_set(Document(f"{URL}2", "s2", 1000, 1000), 0)
        assert await store.snapshots.document(URL) == page
        assert [item.flapping_until for item in await listed(store)] == [5000]
        assert await store.flapping(4999, 10) == [FlappingDocument(URL, 5000)]
        assert await store.flapping(5000, 10) == []

    async def test_a_subscription_is_listed_with_the_title_of_its_page(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        assert [item.title for item in await listed(store)] == [""]
        await store.snapshots.compare_and_set(Document(URL, "s1", 1, 1, title="Giants"), 0)
        assert [item.title for item in await listed(store)] == ["Giants"]

    async def test_documents_that_fail_are_listed_until_they_are_read_or_forgotten(
        self, store: Store
    ) -> None:
        assert (await store.failing(10), await store.has_good()) == ([], False)
        once = Document(URL, "s1", 1000, 1000, failures=1, last_error="timed out")
        worse = Document(f"{URL}2", "s2", 1000, 1000, failures=3, last_error="answered 404")
        for document in (once, worse):
            await store.snapshots.compare_and_set(document, 0)
        worst = FailingDocument(f"{URL}2", 3, "answered 404")
        assert await store.failing(10) == [worst, FailingDocument(URL, 1, "timed out")]
        assert await store.failing(1) == [worst]
        assert not await store.has_good()
        good = replace(once, slot=2000, version=2000, failures=0, last_error=None)
        await store.snapshots.compare_and_set(good, 1000)
        assert (await store.failing(10), await store.has_good()) == ([worst], True)
        await store.snapshots.forget(f"{URL}2", "s2")
        assert await store.failing(10) == []

    async def test_documents_that_are_lost_are_listed_until_they_are_found(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed()])
        lost = Document(
            URL, "s1", 1000, 1000, missing="nothing", misses=3, lost="selection",
            missing_since=700, confidence=0.75,
        )  # fmt: skip
        missed = Document(f"{URL}2", "s2", 1000, 1000, missing="a", misses=1, missing_since=600)
        for document in (lost, missed):
            await store.snapshots.compare_and_set(document, 0)
        assert await store.snapshots.document(URL) == lost
        assert await store.lost(10) == [LostDocument(URL, 700, "nothing")]
        (item,) = await listed(store)
        assert (item.missing, item.lost_since, item.confidence) == ("nothing", 700, 0.75)
        once = replace(lost, slot=2000, version=2000, misses=1, lost="", confidence=None)
        await store.snapshots.compare_and_set(once, 1000)
        (item,) = await listed(store)
        assert (item.missing, item.lost_since, item.confidence) == ("nothing", None, None)
        assert await store.lost(10) == []

    async def test_what_has_ended_says_when_it_was_checked_last(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s1", 1500)])
        await store.read_side.record([expired(1610)])
        await store.snapshots.forget(URL, "s1")
        await store.snapshots.record_checks([(URL, "s1", 1600), ("http://other.test/", "s1", 1)])
        (item,) = await listed(store)
        assert (item.state, item.reason, item.ended) == ("expired", "ten failures", 1610)
        assert item.last_check == 1600, "it is noted a moment after the end"

    async def test_what_has_ended_knows_of_no_later_check_and_none_of_another_watch(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2")])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1000, 1000), 0)
        await store.read_side.record([cancelled(1500, watch=WATCH)])
        await store.snapshots.record_checks([(URL, "s1", 1800)])
        assert {each.subscription.id: each.last_check for each in await listed(store)} == {
            "s1": 1500, "s2": 1800,
        }  # fmt: skip
        await store.snapshots.compare_and_set(Document(URL, "s9", 1900, 1900), 1000)
        await store.snapshots.record_checks([(URL, "s9", 1900)])
        assert [each.last_check for each in await listed(store)] == [None, None]

    async def test_a_last_check_is_forgotten_with_its_watch(self, store: Store) -> None:
        await store.read_side.record([subscribed()])
        await store.snapshots.compare_and_set(Document(URL, "s1", 1000, 1000), 0)
        await store.snapshots.record_checks([(URL, "s1", 1500)])
        await store.read_side.record([expired(1610)])
        await store.snapshots.forget(URL, "s1")
        await store.read_side.prune(1611, 0)
        await store.read_side.record([subscribed(at=2000)])
        await store.snapshots.record_checks([(URL, "s1", 2100)])
        assert [each.last_check for each in await listed(store)] == [None]

    async def test_a_manager_sees_only_its_own(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2", manager="other")])
        assert [item.subscription.id for item in await listed(store)] == ["s1"]
        assert [item.subscription.id for item in await listed(store, "other")] == ["s2"]

    async def test_those_that_crawl_are_listed_newest_first(self, store: Store) -> None:
        options = Options(crawl=CrawlOptions(depth=1))
        plain = subscribed(at=4, key="s4", keywords=('"crawl": {',))
        crawls = [subscribed(at=each, key=f"s{each}", options=options) for each in (1, 2, 3)]
        other = subscribed(at=5, key="s5", manager="other", options=options)
        await store.read_side.record([plain, other, *crawls, cancelled(10, "s2")])
        found = await store.subscriptions.crawls("default", 2)
        assert [each.id for each in found] == ["s3", "s2"]

    async def test_those_of_a_document_are_listed_newest_first_by_an_index(
        self, store: Store, place: Place
    ) -> None:
        others = [subscribed(key="s4", manager="other"), subscribed(key="s5", url=f"{URL}x")]
        facts = [subscribed(at=each, key=f"s{each}") for each in (1, 2, 3)]
        await store.read_side.record([*facts, *others, cancelled(10, "s2")])
        found = await store.subscriptions.of_document("default", URL, 2)
        assert [(each.subscription.id, each.state) for each in found] == [
            ("s3", "active"),
            ("s2", "cancelled"),
        ]
        if place.kind == "sqlite":
            with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection:
                values = ["default", URL, 2]
                plan = connection.execute(f"EXPLAIN QUERY PLAN {OF_DOCUMENT}", values).fetchall()
            assert "subscriptions_by_receiver (manager=? AND url=?)" in plan[0][3]

    async def test_only_a_managers_active_subscriptions_are_counted(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2"), subscribed(key="s3")])
        await store.read_side.record([subscribed(key="s4", manager="other"), cancelled(200, "s2")])
        assert await store.subscriptions.count_active("default") == 2
        assert await store.subscriptions.count_active("nobody") == 0
        assert await store.subscriptions.count_active("default", ["s1", "nothing"]) == 1

    async def test_an_active_subscription_is_found_by_its_url_and_receiver(
        self, store: Store
    ) -> None:
        session = Receiver(session="s")
        await store.read_side.record([subscribed(), subscribed(key="s2", receiver=session)])
        find, receiver = store.subscriptions.active_id, subscription().receiver
        found = [await find("default", URL, each) for each in (receiver, session)]
        assert found == ["s1", "s2"]
        assert await find("other", URL, session) is None
        assert await find("default", URL + "x", session) is None
        assert await find("default", URL, Receiver(session="t")) is None
        await store.read_side.record([cancelled(200, "s2")])
        assert await find("default", URL, session) is None

    async def test_an_active_subscription_is_found_by_its_name_also_after_a_rename(
        self, store: Store
    ) -> None:
        find, receiver = store.subscriptions.active_id, Receiver(session="s")
        named = [subscribed(key=f"s{n}", receiver=receiver, name=n) for n in ("", "a", "b")]
        await store.read_side.record(named)
        names = "", "a", "b", "c"
        found = [await find("default", URL, receiver, name) for name in names]
        assert found == ["s", "sa", "sb", None]
        renamed = subscription("sb", receiver=receiver, name="c")
        await store.read_side.record([Subscribed("r", renamed, URL, WATCH, 200)])
        found = [await find("default", URL, receiver, name) for name in names]
        assert found == ["s", "sa", None, "sb"]
        listed = await store.subscriptions.get("default", "sb")
        assert listed is not None
        assert listed.subscription.name == "c"

    async def test_one_of_many_receivers_is_found_by_a_look_at_its_row_only(
        self, store: Store, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        receivers = [Receiver(f"http://{number}.test/") for number in range(300)]
        facts = [subscribed(key=f"s{n}", receiver=each) for n, each in enumerate(receivers)]
        await store.read_side.record(facts)
        # Only the id is needed of the row that is found.
        unpacked = Mock(side_effect=AssertionError)
        monkeypatch.setattr(mongo, "unpack_subscription", unpacked)
        assert await store.subscriptions.active_id("default", URL, receivers[299]) == "s299"
        if place.kind == "sqlite":
            with closing(sqlite3.connect(place.url.removeprefix("sqlite:"))) as connection:
                values = {"manager": "default", "url": URL, "receiver": ""}
                plan = connection.execute(f"EXPLAIN QUERY PLAN {ACTIVE_ID}", values).fetchall()
            assert "subscriptions_by_receiver (manager=? AND url=? AND receiver=?)" in plan[0][3]

    async def test_pages_hold_each_subscription_once_oldest_first(self, store: Store) -> None:
        facts = [subscribed(at=100 + number // 3, key=f"s{number}") for number in range(9)]
        await store.read_side.record(facts)
        found, cursor = [], None
        while True:
            page = await store.subscriptions.page("default", cursor, 2)
            found += [item.subscription.id for item in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert found == [f"s{number}" for number in range(9)]

    async def test_a_full_last_page_has_no_next(self, store: Store) -> None:
        await store.read_side.record([subscribed(), subscribed(key="s2")])
        assert (await store.subscriptions.page("default", None, 2)).next is None

    @pytest.mark.parametrize("cursor", ["", "x", "x-y", "-1-y", "²-y", "9" * 30 + "-y"])
    async def test_a_cursor_of_no_page_is_an_error(self, store: Store, cursor: str) -> None:
        with pytest.raises(ValueError, match="not a cursor"):
            await store.subscriptions.page("default", cursor, 2)


class TestEnds:
    async def test_a_cancelled_subscription_is_listed_as_such(self, store: Store) -> None:
        await store.read_side.record([subscribed(), cancelled(200)])
        [item] = await listed(store)
        assert (item.state, item.ended, item.reason, item.interval) == (
            "cancelled",
            200,
            None,
            None,
        )

    async def test_an_expired_subscription_keeps_its_reason(self, store: Store) -> None:
        await store.read_side.record([subscribed(), expired(200), cancelled(300)])
        [item] = await listed(store)
        assert (item.state, item.ended, item.reason) == ("expired", 200, "ten failures")

    async def test_a_subscription_that_ended_stays_ended(self, store: Store) -> None:
        await store.read_side.record([subscribed(), cancelled(200)])
        await store.read_side.record([subscribed()])
        await store.read_side.record([subscribed(at=300)])
        assert await states(store) == [("s1", "cancelled")]

    async def test_a_changed_subscription_shows_its_newest_options(self, store: Store) -> None:
        changed = subscribed(at=200, keywords=("hera",))
        await store.read_side.record([subscribed(), changed])
        await store.read_side.record([subscribed()])
        assert [item.subscription.keywords for item in await listed(store)] == [("hera",)]

    async def test_the_newest_fact_has_the_watch(self, store: Store) -> None:
        slower = replace(WATCH, interval=600)
        await store.read_side.record(
            [subscribed(), subscribed(key="s2"), cancelled(200, "s2", slower)]
        )
        await store.read_side.record([subscribed(key="s2")])
        assert (await listed(store))[0].interval == slower.interval

    async def test_a_paused_subscription_is_paused_until_it_is_resumed_or_ends(
        self, store: Store
    ) -> None:
        await store.read_side.record([subscribed(), subscribed(at=200, paused=True)])
        assert await states(store) == [("s1", "paused")]
        assert await store.subscriptions.count_active("default") == 1
        await store.read_side.record([subscribed(at=300)])
        assert await states(store) == [("s1", "active")]
        await store.read_side.record([subscribed(at=200, paused=True)])
        assert await states(store) == [("s1", "active")]
        await store.read_side.record([subscribed(at=400, paused=True), cancelled(500)])
        assert await states(store) == [("s1", "cancelled")]

    async def test_a_rejection_changes_no_subscription(self, store: Store) -> None:
        await store.read_side.record([subscribed(), Rejected("r", "m", 5, "", URL, WATCH, 200)])
        assert await states(store) == [("s1", "active")]
