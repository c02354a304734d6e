"""The form to add a watch shows what its keywords would have brought, as they are typed."""

from dataclasses import replace
from itertools import pairwise
from urllib.parse import quote

import pytest
from aiohttp import ClientSession
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from connectors.page.add.past import shown_past
from schemas.codec.backtests import KeywordTally, ListedNotification, PastNotifications
from schemas.records.changes import DocumentChanged
from schemas.records.subscriptions import Options, Receiver
from streams.diff.regions import changed_regions
from tests.connectors.page.test_accessibility import RULES
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import NOW_S, ServedPage, open_more

HOUR = 3_600_000
NOW = int(1000 * NOW_S)


async def kept(served: ServedPage, *texts: str) -> None:
    """A page that had these texts, for the last hours one after the other."""
    begun = NOW - len(texts) * HOUR
    first = subscribed(receiver=Receiver(session="page"), options=Options())
    changes = [
        DocumentChanged(
            f"c{n}", URL, "s1", n, 0, "text/html", "en", changed_regions(old, new), begun + n * HOUR
        )
        for n, (old, new) in enumerate(pairwise(texts))
    ]
    await served.store.read_side.record([first, *changes])


async def asked(served: ServedPage, http: ClientSession, **fields: str) -> tuple[int, str]:
    async with http.get(f"{served.base}/add") as response:
        token = (await response.text()).partition('name="token" value="')[2].partition('"')[0]
    async with http.post(
        f"{served.base}/add/backtest",
        data={"token": token, **fields},
        headers={"Origin": served.base},
    ) as response:
        page = await response.text()
        return response.status, page.partition('<section id="backtest"')[2].partition("</sect")[0]


async def test_what_keywords_would_have_brought_follows_the_typing(
    served: ServedPage, tab: Page
) -> None:
    await kept(served, "Io sleeps.", "Argus sleeps.", "Io sleeps.", "Hera sleeps.")
    await tab.goto(f"{served.base}/add?url={quote(URL)}")
    past = tab.get_by_role("region", name="What the past would have brought")
    await expect(past).to_contain_text("any change 3 notifications, the last")
    await expect(tab.get_by_role("button", name="Try on the past")).to_have_count(0)
    await tab.get_by_label("Keywords").press_sequentially("ARGUS\nzeus")
    await expect(past.locator("li")).to_contain_text(["ARGUS 2 notifications", "zeus none"])
    await past.get_by_text("Show them").click()
    await expect(past.locator("ins").first).to_have_text("Argus")
    await open_more(tab)
    await tab.get_by_label("Match upper and lower case alike").uncheck()
    await expect(past.locator("li").first).to_contain_text("none")
    results = await Axe().run(tab, options=RULES)
    assert [each["id"] for each in results.response["violations"]] == []


async def test_without_scripts_a_button_shows_it(served: ServedPage, http: ClientSession) -> None:
    await kept(served, "Io sleeps.", "Argus sleeps.")
    async with http.get(f"{served.base}/add") as response:
        assert 'formaction="/add/backtest"' in await response.text()
    status, shown = await asked(served, http, url=URL, keywords="Argus", interval="600")
    assert status == 200
    assert "1 change since" in shown
    assert "1 notification, the last" in shown
    assert "<ins><b>Argus</b></ins>" in shown


async def test_a_page_or_a_part_that_was_not_watched_has_no_past(
    served: ServedPage, http: ClientSession
) -> None:
    await kept(served, "Io sleeps.", "Argus sleeps.")
    status, shown = await asked(served, http, url=URL, part="#price", interval="600")
    assert (status, "No changes are kept yet of this page, or of this part of it" in shown) == (
        200,
        True,
    )
    secret = served.add_key("other")
    async with http.post(
        f"{served.base}/sign-in", data={"key": secret}, headers={"Origin": served.base}
    ):
        pass
    _, shown = await asked(served, http, url=URL, interval="600")
    assert "Argus" not in shown


async def test_a_page_that_never_changed_says_so_without_a_list_of_nothing(
    served: ServedPage, http: ClientSession
) -> None:
    await kept(served, "Io sleeps.")
    _, shown = await asked(served, http, url=URL, keywords="Argus", interval="600")
    assert "Nothing has changed there since <time" in shown
    assert ("0 changes" in shown, "none" in shown, "<li>" in shown) == (False, False, False)


@pytest.mark.parametrize(
    ("fields", "status", "text"),
    [
        ({"url": "example"}, 400, "Enter the address of a page"),
        ({"url": URL, "keywords": "?!"}, 400, "Enter a keyword with a letter or a digit"),
        ({"url": URL, "interval": "soon"}, 415, "A whole number is allowed"),
    ],
)
async def test_what_cannot_be_asked_for_says_why(
    served: ServedPage, http: ClientSession, fields: dict[str, str], status: int, text: str
) -> None:
    found, shown = await asked(served, http, **({"interval": "600"} | fields))
    assert (found, text in shown) == (status, True), shown
    assert ('"hint none"' in shown) == ("address" in text)  # the form says it at its preview


async def test_hostile_texts_of_the_past_are_text(served: ServedPage, http: ClientSession) -> None:
    hostile = [text.replace("\n", " ") for text in HOSTILE_TEXTS if text.isprintable()]
    await kept(served, "", "\n\n".join(f"Argus {text}" for text in hostile))
    _, shown = await asked(served, http, url=URL, keywords="Argus\n<img src=x>", interval="600")
    assert "<ins>" in shown
    assert not {"<script", "<img", "<iframe", "<svg"} & set(shown.lower().split("&lt;"))
    assert "<img" not in shown.lower()
    assert "<script" not in shown.lower()


def test_each_keyword_has_a_line_in_the_order_of_the_form() -> None:
    many = replace(NOTIFICATION, diffs=NOTIFICATION.diffs * 2)
    listed = (ListedNotification(many, 0),)
    found = PastNotifications(total=2, keywords={"io": KeywordTally(2, NOW)}, listed=listed)
    shown = shown_past(["argus", "io", "io"], found)
    assert [(each.keyword, each.total) for each in shown.keywords] == [
        ("argus", 0),
        ("io", 2),
    ]
    assert len(shown.newest) == 1


async def test_a_rule_is_judged_when_that_is_asked_for_and_not_as_somebody_types(
    served: ServedPage, http: ClientSession
) -> None:
    await kept(served, "Io sleeps.", "Argus sleeps.")
    await asked(served, http, url=URL, interval="600", rule="only gods", summary="1")
    await asked(served, http, url=URL, interval="600", rule="only gods", do="judge")

    options = [call.args[0].options for call in served.judge.call_args_list]
    assert [(each.rule, each.summary) for each in options] == [(None, False), ("only gods", False)]


def test_what_a_model_says_of_the_past_is_shown_with_what_it_took() -> None:
    judged = replace(NOTIFICATION, verdict="suppress", because="It is about cookies.")
    found = PastNotifications(
        since=1, listed=(ListedNotification(judged, 0),), judged=1, tokens=1_234
    )
    past = shown_past([], found)

    assert past.newest[0].notes == ["By your rule (suppress): It is about cookies."]
    assert (past.found and past.found.tokens) == 1_234
