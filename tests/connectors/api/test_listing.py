"""When a listing says that a document is fetched next."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.admission import access_middleware
from connectors.api.listing import ListingHandlers
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription
from schemas.codec.times import rfc3339
from streams.effects.pauses import listed_pause_ms
from streams.values.slots import newest_slot, next_slot
from tests.fakes.subscriptions import URL, WATCH, subscription

SLOT = newest_slot(URL, WATCH.interval, 1_700_000_000_000)


class OneSubscription:
    """A read side of one subscription, to a page that failed so often, last at SLOT.

    ``interval`` (s) is that of the page.
    """

    def __init__(
        self,
        failures: int,
        interval: int = WATCH.interval,
        max_interval: int | None = None,
        missing: str | None = None,
    ) -> None:
        self._missing = missing
        self._failures = failures
        self._interval = interval
        self._max_interval = max_interval

    async def get(self, manager: str, key: str) -> ListedSubscription:
        error = "HTTP 500" if self._failures else None
        one = subscription()
        options = replace(one.options, max_interval=self._max_interval)
        listed = (
            replace(one, options=options),
            "active",
            None,
            None,
            self._interval,
            SLOT + 900,
            self._failures,
            error,
        )
        return ListedSubscription(*listed, missing=self._missing)


async def listed(reader: Any, folder: Path) -> dict[str, Any]:
    """Return the item of the one subscription a second after SLOT."""
    pause = partial(listed_pause_ms, factor=2.0)
    listing = ListingHandlers(reader, NextChecks(next_slot, pause, lambda: SLOT + 1000))
    app = web.Application(
        middlewares=[access_middleware(ApiKeys(folder / "none"), CallRates(lambda: 0.0))]
    )
    add_guarded_routes(app, [GuardedRoute(Role.READ, web.get("/{id}", listing.subscription))])
    async with TestClient(TestServer(app)) as client:
        found: dict[str, Any] = await (await client.get("/s1")).json()
    return found


@pytest.mark.parametrize(("failures", "intervals"), [(0, 1), (1, 2), (2, 4), (3, 8)])
async def test_a_failing_page_is_listed_with_the_later_time_of_its_next_fetch(
    failures: int, intervals: int, tmp_path: Path
) -> None:
    item = await listed(OneSubscription(failures), tmp_path)
    assert item["nextCheck"] == rfc3339(SLOT + intervals * WATCH.interval * 1000)


async def test_the_shorter_interval_of_somebody_else_is_not_shown(tmp_path: Path) -> None:
    item = await listed(OneSubscription(0, interval=1), tmp_path)
    assert item["nextCheck"] == rfc3339(SLOT + subscription().options.interval * 1000)


async def test_a_page_with_a_longest_interval_is_listed_with_the_later_time(tmp_path: Path) -> None:
    item = await listed(OneSubscription(0, max_interval=100 * WATCH.interval), tmp_path)
    # Nothing is known of it: ten times the interval, from the last check on, which was at a slot.
    assert item["nextCheck"] == rfc3339(SLOT + 10 * WATCH.interval * 1000)


async def test_a_page_that_is_lost_is_listed_with_its_next_slot(tmp_path: Path) -> None:
    lost = OneSubscription(0, max_interval=100 * WATCH.interval, missing="a login page")
    item = await listed(lost, tmp_path)
    assert item["nextCheck"] == rfc3339(SLOT + WATCH.interval * 1000)
