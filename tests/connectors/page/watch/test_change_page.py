"""The page of one change, its lineage, and two texts compared."""

import asyncio
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientSession
from PIL import Image
from playwright.async_api import Page, expect

from connectors.api.history.evidence import check_evidence
from connectors.processes.errors import TooHard
from schemas.records.deliveries import Delivered, DeliveryFailed
from schemas.records.documents import Document
from schemas.records.failures import DocumentFailing
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import ViewOptions
from streams.values.ids import content_id
from tests.connectors.page.watch.test_changes import AT, NEW, OLD, changed, seen, texts
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import ServedPage

HOOK = "http://client.test/s1"
BEFORE = AT - 3_600_000
FROM, TO = "2023-11-14T21:12:20.000Z", "2023-11-14T22:12:20.000Z"
COMPARED = f"/watch/s1/compare?from={FROM}&to={TO}"
SHOWS_PICTURES = Options(interval=60, view=ViewOptions(render=True, screenshot=True))


def notified(change: str, subscription: str, receiver: Receiver, **fields: Any) -> Any:
    name = content_id(change, subscription)
    known = {"id": name, "change": change, "subscription": subscription, "receiver": receiver}
    return replace(NOTIFICATION, **{**known, "at": AT, **fields})


def picture(width: int) -> bytes:
    file = BytesIO()
    Image.new("RGB", (width, 60), "white").save(file, "JPEG")
    return file.getvalue()


async def read_twice(served: ServedPage) -> None:
    """Let a page become another one, with a picture of each."""
    first = Document(URL, "s1", BEFORE, 0, OLD, "text/html", "en", read_at=BEFORE)
    first = replace(first, version=1, picture=picture(80))
    second = replace(first, slot=AT, version=2, text=NEW, read_at=AT, picture=picture(90))
    second = replace(second, earlier_picture=first.picture, earlier_read_at=BEFORE)
    assert await served.store.snapshots.compare_and_set(first, 0)
    assert await served.store.snapshots.compare_and_set(second, 1)


async def test_a_change_says_who_was_notified_and_where_it_comes_from(
    served: ServedPage, http: ClientSession
) -> None:
    here = Receiver(session="page")
    failed = DeliveryFailed(content_id("c1", "s1"), "s1", "default", HOOK, 10, "HTTP 500", AT, 500)
    facts = [
        subscribed(at=BEFORE),
        subscribed(at=BEFORE, key="s2", receiver=here),
        subscribed(at=BEFORE, key="s3", receiver=Receiver(session="not notified")),
        subscribed(at=BEFORE, key="s4", manager="other", receiver=Receiver(session="secret")),
        changed("c1"),
        notified("c1", "s1", Receiver(HOOK)),
        notified("c1", "s2", here),
        notified("c1", "s4", Receiver(session="secret"), manager="other"),
        failed,
    ]
    await served.store.read_side.record(facts)
    await read_twice(served)
    page = await seen(http, f"{served.base}/watch/s1/change/c1")
    assert texts(page, "h1") == ["3 sentences changed"]
    assert texts(page, ".change ins") == ["€1,199", "brand new"]
    assert [texts(row, "th, td") for row in page.select(".receivers tbody tr")] == [
        ["client.test/s1", "Not delivered HTTP 500", f"{content_id('c1', 's1')} Signed evidence"],
        ["News", "Notified", f"{content_id('c1', 's2')} Signed evidence"],
    ]
    async with http.get(f"{served.base}{page.select('.receivers td a')[0]['href']}") as answer:
        statement = check_evidence(await answer.json())
    assert statement["notification"]["id"] == content_id("c1", "s1")
    digests = [sha256(text.encode()).hexdigest() for text in (OLD, NEW)]
    codes = texts(page, ".lineage code")
    assert codes[:3] == [*digests, "c1"]
    (compare,) = page.select("a.button")
    page = await seen(http, f"{served.base}{compare['href']}")
    assert texts(page, ".changes-head h2") == ["3 sentences changed, 1 moved"]


async def test_a_failure_has_a_page_too_without_texts(
    served: ServedPage, http: ClientSession
) -> None:
    failing = DocumentFailing("c1", URL, "s1", AT, "", "HTTP 503", AT)
    await served.store.read_side.record([subscribed(), failing])
    page = await seen(http, f"{served.base}/watch/s1/change/c1")
    assert "HTTP 503" in page.get_text()
    assert texts(page, ".receivers td") == ["Not notified", "none"]
    assert len(page.select(".lineage > li")) == 2


async def test_a_text_that_is_not_kept_any_more_is_said_to_be_gone(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(), changed("c1")])
    page = await seen(http, f"{served.base}/watch/s1/change/c1")
    assert len([each for each in texts(page, ".lineage > li") if "not kept" in each]) == 2
    assert not page.select("a.button")


async def test_a_change_of_another_manager_or_document_is_not_shown(
    served: ServedPage, http: ClientSession
) -> None:
    other = subscribed(key="s2", manager="other")
    elsewhere = replace(changed("c2"), url=f"{URL}x")
    await served.store.read_side.record([subscribed(), other, changed("c1", at=50), elsewhere])
    for path in ("s2/change/c1", "s1/change/c1", "s1/change/c2", "s1/change/c9"):
        page = await seen(http, f"{served.base}/watch/{path}", 404)
        assert "1,299" not in page.get_text()
    for path in ("s2/compare", "s2/picture"):
        await seen(http, f"{served.base}/watch/{path}", 404)


async def test_a_notification_leads_to_its_change(served: ServedPage, http: ClientSession) -> None:
    hook = Receiver(HOOK)
    test = notified("t1", "s1", hook, test=True)
    other = notified("c2", "s4", hook, manager="other")
    facts = [subscribed(), changed("c1"), notified("c1", "s1", hook, title="Giants"), test, other]
    await served.store.read_side.record(facts)
    page = await seen(http, f"{served.base}/news?client={HOOK}")
    links = {str(each["href"]) for each in page.select(".timeline h2 a")}
    assert links == {"/watch/s1", "/watch/s1/change/c1"}
    delivered = Delivered(content_id("c1", "s1"), "s1", "default", HOOK, 1, 204, AT)
    await served.store.read_side.record([delivered])
    page = await seen(http, f"{served.base}/deliveries?client={HOOK}")
    (link,) = page.select("th a.title")
    page = await seen(http, f"{served.base}{link['href']}")
    assert texts(page, ".lineage code")[-2:-1] == ["c1"]
    page = await seen(http, f"{served.base}/notification/{test.id}")
    assert texts(page, "h2") == ["Changes"]
    for name in (other.id, "n9"):
        await seen(http, f"{served.base}/notification/{name}", 404)


async def test_a_change_that_is_not_kept_yet_shows_itself_once_it_is(
    served: ServedPage, tab: Page
) -> None:
    await served.store.read_side.record([subscribed()])
    await tab.goto(f"{served.base}/notification/{content_id('c1', 's1')}")
    await expect(tab.get_by_role("main")).to_contain_text("not kept yet")
    await served.store.read_side.record([changed("c1"), notified("c1", "s1", Receiver(HOOK))])
    await expect(tab.get_by_role("heading", level=1)).to_have_text("3 sentences changed")


async def test_two_texts_are_compared_in_either_order(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(at=BEFORE)])
    await read_twice(served)
    page = await seen(http, f"{served.base}/watch/s1/compare")
    assert [each["value"] for each in page.select("option[selected]")] == [FROM, TO]
    assert texts(page, ".change del") == ["€1,299", "Zeus left"]
    page = await seen(http, f"{served.base}/watch/s1/compare?from={TO}&to={FROM}&show=side")
    assert texts(page, ".sides del") == ["€1,199", "brand new"]
    page = await seen(http, f"{served.base}/watch/s1/compare?from={TO}&to={TO}")
    assert "No difference" in texts(page, "h2")


async def test_a_comparison_says_what_it_cannot_do(served: ServedPage, http: ClientSession) -> None:
    await served.store.read_side.record([subscribed(at=BEFORE)])
    address = f"{served.base}/watch/s1/compare"
    assert "has not been read" in (await seen(http, address)).get_text()
    await read_twice(served)
    page = await seen(http, f"{address}?from=<b>", 400)
    assert "from: expected a time with a zone (RFC 3339), not '<b>'" in page.get_text()
    page = await seen(http, f"{address}?from=2020-01-01T00:00:00Z", 404)
    assert "No text of 2020-01-01T00:00:00.000Z is kept" in page.get_text()


async def test_texts_that_are_too_hard_to_compare_are_no_fault_of_ours(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(at=BEFORE)])
    await read_twice(served)
    served.compare.side_effect = TooHard("the page took longer than 5 s to read")
    page = await seen(http, f"{served.base}/watch/s1/compare")
    assert texts(page, ".note") == [
        "They could not be compared: the page took longer than 5 s to read."
    ]


async def test_one_comparison_of_a_manager_runs_and_two_wait(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(at=BEFORE)])
    await read_twice(served)
    go_on, at_work = asyncio.Event(), 0

    async def compare(_before: str, _after: str) -> list[Any]:
        nonlocal at_work
        at_work += 1
        assert at_work == 1
        await go_on.wait()
        at_work -= 1
        return []

    served.compare.side_effect = compare
    address = f"{served.base}/watch/s1/compare"
    calls = [asyncio.ensure_future(seen(http, address)) for _ in range(4)]
    (refused,), _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    assert "You compare other texts" in refused.result().get_text()
    go_on.set()
    pages = await asyncio.gather(*calls)
    assert sum("No difference" in page.get_text() for page in pages) == 3


async def test_pictures_are_those_of_the_time_and_nothing_else(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(at=BEFORE), changed("c1")])
    await read_twice(served)
    for at, width in ((FROM, 80), (TO, 90)):
        async with http.get(f"{served.base}/watch/s1/picture?at={at}") as response:
            assert response.content_type == "image/jpeg"
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert Image.open(BytesIO(await response.read())).width == width
    page = await seen(http, f"{served.base}/watch/s1/change/c1")
    assert not page.select("img"), "the view takes none"


async def test_a_slider_shows_the_picture_before_and_after(served: ServedPage, tab: Page) -> None:
    await served.store.read_side.record(
        [subscribed(at=BEFORE, options=SHOWS_PICTURES), changed("c1")]
    )
    await read_twice(served)
    await tab.goto(f"{served.base}/watch/s1/change/c1")
    slider = tab.get_by_role("slider")
    await slider.focus()
    await slider.press("Home")
    await expect(slider).to_have_attribute("aria-valuetext", "0 % before")
    await slider.press("ArrowRight")
    await expect(slider).to_have_value("1")
    after = tab.locator(".pictures .after img")
    await expect(after).to_have_css("clip-path", "inset(0px 0px 0px 1%)")
    assert await after.evaluate("image => image.naturalWidth") == 90
    await tab.locator(".pictures .after").click(position={"x": 1, "y": 5})
    await expect(slider).to_have_value("0")


async def test_the_only_picture_is_shown_without_a_slider(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record(
        [subscribed(at=BEFORE, options=SHOWS_PICTURES), changed("c1")]
    )
    document = Document(URL, "s1", AT, 1, NEW, read_at=AT, picture=picture(90))
    assert await served.store.snapshots.compare_and_set(document, 0)
    page = await seen(http, f"{served.base}/watch/s1/change/c1")
    assert len(page.select("img")) == 1
    assert not page.select("[data-slider]")
    assert "The picture before is not kept." in page.get_text()


@pytest.mark.parametrize("path", ["/watch/s1/change/c1", "/watch/s1/compare?show=side"])
async def test_nothing_is_wider_than_a_phone(served: ServedPage, tab: Page, path: str) -> None:
    long = "word" * 200
    await served.store.read_side.record(
        [
            subscribed(at=BEFORE, document_url=f"{URL}?{long}"),
            changed("c1", "A.", f"{long} {long}."),
        ]
    )
    await read_twice(served)
    await tab.set_viewport_size({"width": 320, "height": 700})
    await tab.goto(served.base + path)
    assert await tab.evaluate("document.documentElement.scrollWidth") == 320
