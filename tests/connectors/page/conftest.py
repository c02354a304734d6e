"""The served page, and a tab of a browser that may load nothing from elsewhere."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, CookieJar
from playwright.async_api import Page

from tests.harness.page import ServedPage, chromium, serving_page


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[ServedPage]:
    async with serving_page(tmp_path) as served:
        yield served


@pytest.fixture
async def http() -> AsyncIterator[ClientSession]:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as http:
        yield http


@pytest.fixture
async def tab() -> AsyncIterator[Page]:
    async with chromium() as browser:
        yield await browser.new_page(viewport={"width": 1200, "height": 800})
