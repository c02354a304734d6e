"""Words are watched for on all pages, on those with a tag, or of hosts."""

from dataclasses import replace

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page, expect

from schemas.records.pages import canonical_document, pages_of_tag
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.tags import canonical_tag
from streams.values.ids import content_id
from tests.connectors.page.session.test_guard import sent, token_of
from tests.connectors.page.test_hostile_texts import Elements, look_at_each
from tests.connectors.page.watch.test_changes import changed
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, subscribed, subscription
from tests.harness.page import ServedPage


async def test_words_are_watched_for_on_all_pages_with_the_keyboard_and_listed(
    served: ServedPage, tab: Page
) -> None:
    await tab.goto(f"{served.base}/add")
    await tab.get_by_role("link", name="on all pages that you watch").click()
    await expect(tab.get_by_label("Tag", exact=True)).to_be_hidden()
    await tab.get_by_label("those with a tag").check()
    await tab.get_by_label("Tag", exact=True).fill("a,b")
    await tab.get_by_label("Keywords").fill("zeus\nhera")
    await tab.get_by_role("button", name="Watch these pages").press("Enter")
    await expect(tab.locator("#tag-error")).to_contain_text("without a comma")
    await tab.get_by_label("Tag", exact=True).fill("Greek gods")
    await tab.get_by_role("button", name="Watch these pages").press("Enter")
    await expect(tab.get_by_role("heading", name="Watching")).to_be_visible()
    await expect(tab.locator("main")).to_contain_text("Watched pages with the tag greek gods")
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    assert (asked.document_url, asked.keywords) == ("pages:tag=greek%20gods", ("zeus", "hera"))
    assert asked.receiver == Receiver(session="page")
    await tab.get_by_role("link", name="Show the watch").click()
    await expect(tab.get_by_role("heading", level=1)).to_have_text(
        "Watched pages with the tag greek gods"
    )
    await expect(tab.locator("#changes")).to_contain_text("listed with its own page")
    await tab.get_by_role("navigation").get_by_role("link", name="Watches").click()
    await expect(tab.locator("tbody tr")).to_contain_text("Watched pages with the tag greek gods")
    await expect(tab.locator("tbody tr")).to_contain_text("as each page is checked")


async def test_a_tag_and_a_host_that_are_hostile_texts_stay_texts(
    served: ServedPage, tab: Page, http: ClientSession
) -> None:
    await look_at_each(tab, http, [*HOSTILE_TEXTS], f"{served.base}/add/pages?tag=")
    typed = "".join(" ".join(HOSTILE_TEXTS[-11:]).splitlines()).replace("\x00", "\ufffd")
    await expect(tab.get_by_label("Tag", exact=True)).to_have_value(typed)
    tags = [canonical_tag(text)[:50] for text in HOSTILE_TEXTS]
    of_tags = [pages_of_tag(tag) for tag in ("harmless", *tags)]
    found = []
    for url in filter(canonical_document, of_tags):
        await served.store.read_side.record([subscribed(url=url, document_url=url)])
        async with http.get(f"{served.base}/watch/s1") as response:
            found.append(await response.text())
    assert len(found) > 20
    assert all(Elements(page).found == Elements(found[0]).found for page in found)
    await tab.goto(f"{served.base}/watch/s1")
    await expect(tab.get_by_role("heading", level=1)).to_contain_text("Watched pages")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"which": "host", "host": "https://example.org/"}, "Enter a host such as"),
        ({"which": "tag", "tag": ""}, "Enter one tag"),
        ({"which": "all", "keywords": "?!"}, "never found: ?!"),
        (
            {"which": "all", "send": "webhook", "webhook": "nowhere"},
            "Enter the address of a",
        ),
        ({"which": "all", "send": "channel", "channel": "team"}, "There is no channel"),
    ],
)
async def test_an_error_is_at_its_field(
    served: ServedPage, http: ClientSession, fields: dict[str, str], said: str
) -> None:
    token = await token_of(http, f"{served.base}/add/pages")
    answer = await sent(http, served, "/add/pages", token=token, **fields)
    assert answer.status in {400, 415}
    assert said in await answer.text()


def test_a_tag_has_one_form_whoever_writes_it() -> None:
    assert pages_of_tag(" Greek  GODS") == "pages:tag=greek%20gods"
    assert subscription(url=pages_of_tag("gods")).url == "pages:tag=gods"


async def test_news_of_several_pages_lead_to_the_change_in_the_watch_of_its_page(
    served: ServedPage, http: ClientSession
) -> None:
    found = replace(
        NOTIFICATION,
        id=content_id("c1", "wide"),
        subscription="wide",
        change="c1",
        url=URL,
        receiver=Receiver("http://client.test/wide"),
        pages="pages:*",
    )
    wide = subscribed(key="wide", url="pages:*", document_url="pages:*", watch=None)
    await served.store.read_side.record([subscribed(at=100), wide, changed("c1"), found])
    for path in (f"/notification/{found.id}", "/watch/wide/change/c1"):
        async with http.get(served.base + path) as answer:
            assert (answer.status, answer.url.path) == (200, "/watch/s1/change/c1")
            shown = await answer.text()
            assert f"/notification/{found.id}/evidence" in shown
            assert 'href="/watch/wide"' in shown
    async with http.get(f"{served.base}/watch/wide/change/c2") as answer:
        assert answer.status == 404
