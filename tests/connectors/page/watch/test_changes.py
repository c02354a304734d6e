"""Changes of a watch in their context, inline and side by side."""

from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientSession
from bs4 import BeautifulSoup, Tag

from connectors.page.watch.timeline import ShownChange, shown_change
from connectors.serving.sending import Sender
from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentUnreachable
from streams.diff.regions import changed_regions
from tests.fakes.subscriptions import URL, expired, subscribed
from tests.harness.page import NOW_S, ServedPage

AT = int(NOW_S * 1000) - 60_000
OLD = "Io one.\nHera two.\nThe price is €1,299.\nZeus left"
NEW = "Hera two.\nThe price is €1,199.\nIo one.\nbrand new"


def changed(name: str, before: str = OLD, after: str = NEW, at: int = AT) -> DocumentChanged:
    regions = tuple(changed_regions(before, after))
    return DocumentChanged(name, URL, "s1", at, 0, "text/html", "en", regions, at)


async def seen(http: ClientSession, address: str, status: int = 200) -> BeautifulSoup:
    async with http.get(address) as response:
        assert response.status == status
        return BeautifulSoup(await response.text(), "lxml")


def texts(page: Tag, selector: str) -> list[str]:
    return [" ".join(each.get_text().split()) for each in page.select(selector)]


async def test_a_change_is_shown_in_its_context_with_what_moved(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(), changed("c1")])
    page = await seen(http, f"{served.base}/watch/s1")
    assert texts(page, ".change") == [
        "moved from here Io one.",
        "Hera two.",
        "edited: The price is €1,299 → €1,199.",
        "removed: Zeus left",
        "moved here Io one.",
        "added: brand new",
    ]
    assert texts(page, ".change del") == ["€1,299", "Zeus left"]
    assert texts(page, ".change ins") == ["€1,199", "brand new"]


async def test_both_sides_stand_next_to_each_other_if_the_address_says_so(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(), changed("c1")])
    page = await seen(http, f"{served.base}/watch/s1?show=side")
    assert texts(page, ".sides th") == ["Before", "After"]
    rows = [texts(row, "td") for row in page.select(".sides tbody tr")]
    assert rows[:3] == [
        ["moved from here Io one.", ""],
        ["Hera two.", "Hera two."],
        ["edited: The price is €1,299.", "The price is €1,199."],
    ]


async def test_the_layout_stays_from_page_to_page(served: ServedPage, http: ClientSession) -> None:
    facts = [changed(f"c{each}", at=AT + each) for each in range(41)]
    await served.store.read_side.record([subscribed(), *facts])
    page = await seen(http, f"{served.base}/watch/s1?show=side")
    (older,) = page.select("a[rel=next]")
    page = await seen(http, f"{served.base}{older['href']}")
    assert page.select(".sides")
    links = {each.text: each for each in page.select(".layouts a")}
    assert links["Side by side"].get("aria-current") == "true"
    page = await seen(http, f"{served.base}{links['Inline']['href']}")
    assert len(page.select(".timeline > li")) == 20
    assert not page.select(".sides")
    assert page.select("a[rel=next]")


async def test_answers_of_others_are_rendered_between_the_changes_of_a_watch(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [changed(f"c{each}", at=AT + each) for each in range(3)]
    await served.store.read_side.record([subscribed(), *facts])
    turn, turns = 0, list[int]()
    render = Sender.render

    async def counted(self: Sender, work: Callable[[], Any]) -> Any:
        nonlocal turn
        turn += 1
        return await render(self, work)

    def noted(*values: Any) -> ShownChange:
        turns.append(turn)
        return shown_change(*values)

    monkeypatch.setattr(Sender, "render", counted)
    monkeypatch.setattr("connectors.page.watch.shown_changes.shown_change", noted)
    await seen(http, f"{served.base}/watch/s1")
    assert len(turns) == len(set(turns)) == 3


async def test_a_large_change_says_how_much_of_it_is_not_shown(
    served: ServedPage, http: ClientSession
) -> None:
    lines = "\n\n".join(f"Statue {each} is new" for each in range(30))
    await served.store.read_side.record([subscribed(), changed("c1", "A.", f"A.\n\n{lines}")])
    page = await seen(http, f"{served.base}/watch/s1")
    assert len(page.select(".change.added")) == 20
    assert "and 10 more" in page.get_text()


async def test_a_watch_that_expired_says_when_why_and_when_it_was_checked_last(
    served: ServedPage, http: ClientSession
) -> None:
    given_up = DocumentUnreachable("u1", URL, "s1", AT, "text/html", "HTTP 503", AT)
    await served.store.read_side.record([subscribed(at=AT - 9), given_up, expired(AT + 5_000)])
    page = await seen(http, f"{served.base}/watch/s1")
    facts = {
        str(each.dt and each.dt.text): each.dd.get_text(" ", strip=True)
        for each in page.select(".facts > div")
        if each.dd
    }
    assert facts["Ended"] == "2023-11-14 22:12 UTC"
    assert facts["Last check"] == "2023-11-14 22:12 UTC"
    assert "Next check" not in facts
    assert facts["State"] == "Expired ten failures"
    times = [str(each["datetime"]) for each in page.select(".facts time")]
    assert times == ["2023-11-14T22:12:25.000Z", "2023-11-14T22:12:20.000Z"]
