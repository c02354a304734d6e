"""The page speaks the language that was chosen, or the best of those that the browser accepts."""

import re

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page

from connectors.languages.texts import LANGUAGES
from tests.connectors.page.test_accessibility import PAGES, choose_language, filled, is_too_wide
from tests.harness.page import ServedPage

TOKEN = re.compile(r'name="token" value="([^"]+)"')


async def shown(http: ClientSession, served: ServedPage, path: str, accept: str = "") -> str:
    async with http.get(served.base + path, headers={"Accept-Language": accept}) as response:
        return await response.text()


async def choose(http: ClientSession, served: ServedPage, language: str, back: str) -> str:
    """Choose a language as the form of a page does; returns where that leads."""
    token = TOKEN.findall(await shown(http, served, "/"))[0]
    form = {"token": token, "language": language, "next": back}
    async with http.post(
        f"{served.base}/language",
        data=form,
        headers={"Origin": served.base},
        allow_redirects=False,
    ) as response:
        assert response.status == 303
        return response.headers["Location"]


async def test_the_browser_decides_until_one_is_chosen(
    served: ServedPage, http: ClientSession
) -> None:
    german = await shown(http, served, "/", "de-CH, en;q=0.5")
    assert '<html lang="de" dir="ltr">' in german
    assert "<title>Beobachtungen · Vokter</title>" in german
    assert '<html lang="en" dir="ltr">' in await shown(http, served, "/", "tlh")
    assert await choose(http, served, "ja", "/news?q=x") == "/news?q=x"
    assert '<html lang="ja" dir="ltr">' in await shown(http, served, "/news", "de")
    cookie = next(each for each in http.cookie_jar if each.key == "vokter_language")
    assert (cookie.value, cookie["samesite"], cookie["httponly"]) == ("ja", "Lax", True)


@pytest.mark.parametrize(
    ("language", "back", "target"),
    [("tlh", "/", "/"), ("de", "//evil.example/", "/"), ("de", "https://evil.example/", "/")],
)
async def test_what_is_no_language_is_not_remembered_and_no_form_leads_elsewhere(
    served: ServedPage, http: ClientSession, language: str, back: str, target: str
) -> None:
    assert await choose(http, served, language, back) == target
    known = {each.value for each in http.cookie_jar if each.key == "vokter_language"}
    assert known == ({language} & set(LANGUAGES))


async def test_another_site_chooses_no_language(served: ServedPage, http: ClientSession) -> None:
    token = TOKEN.findall(await shown(http, served, "/"))[0]
    async with http.post(
        f"{served.base}/language",
        data={"token": token, "language": "de"},
        headers={"Origin": "https://evil.example"},
    ) as response:
        assert response.status == 403


async def test_an_error_and_a_fault_of_a_form_are_in_the_language(
    served: ServedPage, http: ClientSession
) -> None:
    assert "Die Seite „/nothing“ gibt es nicht." in await shown(http, served, "/nothing", "de")
    token = TOKEN.findall(await shown(http, served, "/add"))[0]
    async with http.post(
        f"{served.base}/add",
        data={"token": token, "url": "nowhere", "do": "subscribe"},
        headers={"Origin": served.base, "Accept-Language": "fr"},
    ) as response:
        assert "Saisissez l\u2019adresse d\u2019une page" in await response.text()


async def test_programs_get_english_after_a_visitor_had_another_language(
    served: ServedPage, http: ClientSession
) -> None:
    await shown(http, served, "/", "ja")
    async with http.get(f"{served.base}/vokter/v1/nothing") as response:
        assert (await response.text()).isascii()


@pytest.mark.slow  # the language with the longest words is seen with the faults of each page
@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_view_is_wider_than_a_phone_in_any_language(
    served: ServedPage, tab: Page, language: str
) -> None:
    await filled(served)
    await choose_language(served, tab, language)
    wide = []
    for path in [*PAGES, "/add", "/add/pages", "/news"]:
        await tab.goto(served.base + path)
        assert await tab.evaluate("document.documentElement.lang") == language
        if await is_too_wide(tab):
            wide.append(path)
    assert wide == []
