"""The number of a watch, drawn."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import Page, expect

from connectors.page.watch.number_chart import HEIGHT, MAX_ROWS, WIDTH, number_chart
from schemas.records.documents import Document
from schemas.records.numbers import Conditions, NumberOptions, NumberPoint, packed_series
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from schemas.records.views import ViewOptions
from streams.values.views import watched_view
from tests.connectors.page.test_accessibility import faults
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import NOW_S, ServedPage, open_more
from tests.harness.pages import Pages

DAY = 24 * 3600 * 1000
NOW = int(NOW_S * 1000)
OPTIONS = Options(
    interval=60, view=ViewOptions(number=NumberOptions()), when=Conditions(below="1000")
)
VIEW = watched_view(OPTIONS, "default").id
PRICES = ("1299", "1249.50", "1349", "1349", "1199", "1099", "999", "1149", "1089.90")
POINTS = tuple(
    NumberPoint(NOW - (30 - 3 * at) * DAY, price, "EUR") for at, price in enumerate(PRICES)
)


def test_a_chart_has_steps_limits_and_words() -> None:
    chart = number_chart(POINTS[:3], Conditions(below="1000"), POINTS[2].at + 3 * DAY)
    assert chart is not None
    assert chart.line == "M0 29H213V50H426V8H640"
    assert [(limit.y, limit.text) for limit in chart.limits] == [(152, "below 1000 EUR")]
    assert chart.text == "1299 EUR at first, 1349 EUR now; lowest 1249.50 EUR, highest 1349 EUR"


def test_a_number_that_never_changed_is_a_line_in_the_middle() -> None:
    chart = number_chart(POINTS[:1], Conditions(), POINTS[0].at)
    assert chart is not None
    assert chart.line == f"M0 {HEIGHT // 2}H{WIDTH}"
    assert number_chart((), Conditions(), 5) is None


@given(st.lists(st.decimals(-(10**9), 10**9, places=2).map(str), min_size=1, max_size=40))
def test_every_point_is_inside_the_drawing(values: list[str]) -> None:
    points = [NumberPoint(at * 1000, value, "EUR") for at, value in enumerate(values)]
    chart = number_chart(points, Conditions(above="5"), 10)
    assert chart is not None
    heights = [int(each.partition("V")[2]) for each in chart.line.split("H")[1:-1]]
    assert all(0 <= height <= HEIGHT for height in heights)
    assert len(chart.rows) == min(len(values), MAX_ROWS)


@pytest.fixture
async def watched(served: ServedPage) -> ServedPage:
    fact = subscribed(keywords=("*",), options=OPTIONS, view_id=VIEW)
    await served.store.read_side.record([fact])
    document = Document(URL, "s1", NOW, NOW, "1089.90 EUR", "text/html", "en", read_at=NOW - DAY)
    packed = packed_series(POINTS)
    await served.store.snapshots.compare_and_set(
        replace(document, view=VIEW, title="Storm lantern", series=packed), 0
    )
    await served.store.snapshots.record_checks([(URL, "s1", NOW)])
    return served


async def test_a_watch_draws_its_number_and_lists_it(watched: ServedPage, tab: Page) -> None:
    await tab.goto(f"{watched.base}/watch/s1")
    number = tab.get_by_role("region", name="Number")
    await expect(number).to_contain_text("1089.90 EUR")
    await expect(number.get_by_role("img")).to_have_accessible_name(
        "1299 EUR at first, 1089.90 EUR now; lowest 999 EUR, highest 1349 EUR"
    )
    await expect(number).to_contain_text("Notified when below 1000")
    await number.locator("summary").press("Enter")
    await expect(number.get_by_role("row")).to_have_count(len(PRICES) + 1)
    assert await faults(tab) == []


PAGE = '<html lang="en"><title>Lantern</title><p>On sale</p><p id="price">Now 1.299 €</p></html>'


async def test_the_form_shows_the_number_that_is_read_and_what_else_it_could_mean(
    served: ServedPage, tab: Page, pages: Pages
) -> None:
    await tab.goto(f"{served.base}/add")
    await tab.get_by_label("Address of the page").fill(pages.add(PAGE).url)
    await open_more(tab)
    await tab.get_by_label("CSS selector", exact=True).fill("#price")
    await expect(tab.get_by_label("Below")).to_be_hidden()
    await tab.get_by_label("Watch a number").check()
    await tab.get_by_label("Below").fill("cheap")
    seen = tab.get_by_label("Preview")
    await expect(seen).to_contain_text("1.299 € → 1299 EUR")
    await expect(seen).to_contain_text("1.299 is read as 1299; it may be 1.299")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_label("Below")).to_have_accessible_description(
        "A number such as 1299.50, with a point, is allowed, not 'cheap'"
    )
    assert await faults(tab) == []
    await tab.get_by_label("Below").fill("1300")
    await tab.get_by_label("Below").press("Tab")
    await expect(seen).to_contain_text("1299 is below 1300 already: you are notified when")
    await tab.get_by_label("Below").fill("1000")
    await tab.get_by_label("Margin").fill("2.5")
    await expect(seen).not_to_contain_text("already")
    await tab.get_by_role("button", name="Watch this page").click()
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    asked = served.register.asked[-1]
    assert isinstance(asked, Subscribe)
    assert (asked.keywords, asked.options.when) == ((), Conditions(below="1000", margin="2.5"))
