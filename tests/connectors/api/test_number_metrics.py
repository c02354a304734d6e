"""GET /numbers/metrics: watched numbers for Prometheus, each view of a page once, and bounded."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from prometheus_client.parser import text_string_to_metric_families

from connectors.api.documents import number_metrics
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.number_metrics import NumberMetrics
from connectors.api.listing import ListingHandlers
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription, ListingPage
from schemas.records.numbers import NumberOptions, NumberPoint
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import ViewOptions
from tests.harness.api import serving_api

pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")

LABELS = {"vokter_number": ("subscription", "url", "unit"), "vokter_numbers_left": ()}
NUMBER = Options(view=ViewOptions(number=NumberOptions()))


class Store:
    """Subscriptions to numbers, each with what it is now; what is asked is counted."""

    def __init__(self, *listed: ListedSubscription) -> None:
        self._listed = listed
        self.asked: Counter[str] = Counter()

    async def page(
        self, manager: str, after: str | None, limit: int, tag: str = ""
    ) -> ListingPage[ListedSubscription]:
        begin = int(after or 0)
        mine = [each for each in self._listed if each.subscription.manager == manager]
        some = [each for each in mine if not tag or tag in each.subscription.options.tags]
        self.asked["page"] += 1
        more = str(begin + limit) if some[begin + limit :] else None
        return ListingPage(tuple(some[begin : begin + limit]), more)

    async def numbers(self, manager: str, url: str, *_: Any) -> ListingPage[NumberPoint] | None:
        self.asked[url] += 1
        number = url.rpartition("/")[2]
        return ListingPage((NumberPoint(9, f"{number}.50", "EUR"),) if number else (), None)


def listed(name: str, url: str, ended: int | None = None, **how: Any) -> ListedSubscription:
    subscription = Subscription(
        name, "w", how.pop("manager", "default"), url, url, Receiver(session=name), ("*",),
        how.pop("options", NUMBER), created=1, **how,
    )  # fmt: skip
    return ListedSubscription(subscription, "active", None, ended, 600, 9, 0, None)


async def scraped(store: Any, tmp_path: Path, *queries: str) -> list[dict[Any, float]]:
    handler = NumberMetrics(store, store, SingleFlightCache(lambda: 0.0))
    serving, found = serving_api(tmp_path / "keys.json", number_metrics=handler), []
    async with serving as api, ClientSession() as http:
        for query in queries:
            async with http.get(f"{api}/numbers/metrics{query}") as response:
                assert (response.status, response.content_type) == (200, "text/plain")
                families = text_string_to_metric_families(await response.text())
            samples = [each for family in families for each in family.samples]
            found.append(
                {
                    (each.name, *map(each.labels.get, LABELS[each.name])): each.value
                    for each in samples
                }
            )
    return found


async def test_each_number_of_the_caller_is_a_gauge_and_those_of_a_tag_alone(
    tmp_path: Path,
) -> None:
    tagged = Options(view=NUMBER.view, tags=("prices",))
    store = Store(
        listed("s1", "https://shop.example/7"),
        listed("again", "https://shop.example/7"),
        listed("other view", "https://shop.example/7", view_id="v"),
        listed("ended", "https://shop.example/8", 5),
        listed("words", "https://shop.example/9", options=Options()),
        listed("theirs", "https://shop.example/10", manager="other"),
        listed("not read yet", "https://shop.example/"),
        listed('t"', 'https://shop.example/11?a="\n/12', options=tagged),
    )
    every, again, prices = await scraped(store, tmp_path, "", "", "?tag=Prices")
    mine = "vokter_number", 't"', 'https://shop.example/11?a="\n/12', "EUR"
    assert (
        every
        == again
        == {
            ("vokter_number", "s1", "https://shop.example/7", "EUR"): 7.5,
            ("vokter_number", "other view", "https://shop.example/7", "EUR"): 7.5,
            mine: 12.5,
            ("vokter_numbers_left",): 0.0,
        }
    )
    assert prices == {mine: 12.5, ("vokter_numbers_left",): 0.0}
    assert store.asked["https://shop.example/7"] == 2, "the second answer is cached"


async def test_numbers_and_the_search_for_them_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(number_metrics, "PAGE", 10)
    monkeypatch.setattr(number_metrics, "MAX_SEARCHED", 40)
    monkeypatch.setattr(number_metrics, "MAX_SERIES", 25)
    store = Store(*(listed(f"s{at}", f"https://shop.example/{at}") for at in range(100)))
    ((found),) = await scraped(store, tmp_path, "")
    assert found.pop(("vokter_numbers_left",)) == 15
    assert [name for _, name, *_ in found] == [f"s{at}" for at in range(25)]
    assert store.asked["page"] == 4


@pytest.mark.parametrize("path", ["numbers/metrics", "subscriptions"])
async def test_a_tag_that_no_subscription_may_have_is_refused_and_nothing_is_searched(
    tmp_path: Path, path: str
) -> None:
    store: Any = Store(listed("s1", "https://shop.example/7"))
    handler = NumberMetrics(store, store, SingleFlightCache(lambda: 0.0))
    lists = ListingHandlers(store, NextChecks(lambda *_: 0, lambda _: 0, lambda: 0))
    serving = serving_api(tmp_path / "keys.json", number_metrics=handler, listing=lists)
    async with serving as api, ClientSession() as http:
        async with http.get(f"{api}/{path}", params={"tag": "x" * 51}) as response:
            refused = response.status, await response.json()
        async with http.get(f"{api}/{path}", params={"tag": "x" * 50}) as response:
            assert response.status == 200
    assert refused[0] == 415
    assert refused[1]["detail"] == "tag: at most 50 characters are allowed"
    assert store.asked["page"] == 1
