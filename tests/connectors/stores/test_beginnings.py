"""A manager is shown nothing from before its subscription; the same from both stores."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest_asyncio

from connectors.stores.opening import Store, open_store
from connectors.stores.pages import ListedSubscription
from connectors.stores.span import shown_state
from schemas.records.changes import DocumentChanged, Returned, shown_return
from schemas.records.numbers import NumberPoint
from schemas.records.subscription_facts import Subscribed
from schemas.records.waiting import ChangesWaiting
from schemas.records.watches import Watch
from tests.connectors.stores.test_facts import begun, change
from tests.connectors.stores.test_snapshot_history import URL, put, read
from tests.harness.stores import Place

BEGUN, BEFORE, AFTER = 90_350, 30_350, 90_400
"""A minute lies between the first two: returns are to the minute."""


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url)
    yield store
    await store.close()


def subscribed(at: int) -> Any:
    fact: Any = begun(at=at)
    return replace(fact, watch=Watch("s1", 60))


async def listed(store: Store) -> ListedSubscription:
    found = await store.subscriptions.get("default", "s1")
    assert found is not None
    return found


async def test_the_state_of_a_page_is_listed_from_the_first_visit_after_the_beginning(
    store: Store,
) -> None:
    await store.read_side.record([subscribed(BEGUN)])
    lost = {"lost": "login", "missing_since": BEFORE, "title": "Giants"}
    await put(store, read(BEFORE, failures=5, last_error="HTTP 500", **lost))
    await store.snapshots.record_checks([(URL, "s1", BEFORE)])
    one = await listed(store)
    assert (one.last_check, one.failures, one.last_error, one.lost_since) == (None, 0, None, None)
    assert one.title == ""
    await store.snapshots.record_checks([(URL, "s1", AFTER)])
    one = await listed(store)
    assert (one.last_check, one.failures, one.last_error) == (AFTER, 5, "HTTP 500")
    assert one.title == "Giants"
    assert one.lost_since == BEGUN


async def test_a_change_does_not_say_that_others_knew_its_text_before(store: Store) -> None:
    facts = [
        replace(change(f"c{since}", at=AFTER), returned=Returned(since, 2))
        for since in (BEFORE, BEGUN)
    ]
    await store.read_side.record([begun(at=BEGUN), *facts])
    page = await store.facts.changes("default", URL, None, 10, "s1")
    history = await store.facts.history("default", URL, "", 0, None, 10)
    assert page is not None
    assert history is not None
    both: list[tuple[Sequence[Any], Returned | None]] = [
        (page.items, None),
        (history.changes, Returned(0, 0)),
    ]
    for several, before in both:
        assert {each.id: each.returned for each in several} == {
            f"c{BEFORE}": before,
            f"c{BEGUN}": Returned(BEGUN, 2),
        }
    assert shown_return(Returned(0, 0), 0) is None
    one = await store.facts.change("default", URL, f"c{BEFORE}", "s1")
    assert one == replace(facts[0], returned=None)


async def test_the_series_of_a_number_begins_with_the_subscription(store: Store) -> None:
    points = tuple(NumberPoint(at, str(at)) for at in (1, BEFORE, AFTER))
    fact = replace(change("c1", at=AFTER), numbers=points, returned=Returned(BEGUN, 2))
    await store.read_side.record([begun(at=BEGUN), fact])
    history = await store.facts.history("default", URL, "", 0, None, 10)
    assert history is not None
    (found,) = history.changes
    assert isinstance(found, DocumentChanged)
    assert found.numbers == (NumberPoint(BEGUN, str(BEFORE)), points[-1])
    assert found.returned == fact.returned


def test_what_waits_for_others_is_listed_from_the_beginning_on() -> None:
    fact = begun(at=BEGUN)
    assert isinstance(fact, Subscribed)
    waiting = ChangesWaiting(
        "w", URL, "s1", 60, 0, changes=1, since=BEFORE, dropped=3, reason="it went back",
        dropped_at=BEFORE, at=AFTER,
    )  # fmt: skip
    one = ListedSubscription(
        fact.subscription, "active", None, None, 60, AFTER, 0, None, BEFORE, "the host"
    )
    shown = shown_state(replace(one, waiting=waiting))
    assert shown.waiting_since == BEGUN
    assert shown.waiting == replace(waiting, since=BEGUN, dropped=0, reason="", dropped_at=0)
    later = replace(waiting, since=AFTER, dropped_at=AFTER)
    assert shown_state(replace(one, waiting=later)).waiting == later
