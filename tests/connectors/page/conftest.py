"""The served page, and a tab of a browser that may load nothing from elsewhere.

One browser is started for all tests, on one event loop.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import ClientSession, CookieJar
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from playwright.async_api import Browser, Page, ViewportSize

from connectors.page import rendering
from streams.effects import trial
from streams.effects.fetch import new_parsers
from tests.harness.page import PATIENCE_MS, SETTINGS, ServedPage, chromium, serving_page
from tests.harness.pages import Pages, site

HERE = "tests/connectors/page/"
DESKTOP: ViewportSize = {"width": 1200, "height": 800}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is here on the loop of the browser."""
    for item in items:
        if item.nodeid.startswith(HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


class CompiledTemplates(BytecodeCache):
    """Templates that were compiled, for all pages that are served."""

    def __init__(self) -> None:
        self._codes: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._codes:
            bucket.bytecode_from_string(self._codes[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def compiled_templates() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rendering, "Environment", partial(Environment, bytecode_cache=CompiledTemplates())
        )
        yield


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_parsers() -> AsyncIterator[None]:
    """The processes that read the pages on trial of all tests: each loads for most of a second."""
    async with new_parsers(SETTINGS, trial.PROCESSES) as processes:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trial, "new_parsers", lambda *_: nullcontext(processes))
            yield


@pytest_asyncio.fixture(loop_scope="session")
async def served(tmp_path: Path, shared_parsers: None) -> AsyncIterator[ServedPage]:
    async with serving_page(tmp_path) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def pages() -> AsyncIterator[Pages]:
    async with site() as pages:
        yield pages


@pytest_asyncio.fixture(loop_scope="session")
async def http() -> AsyncIterator[ClientSession]:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as http:
        yield http


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_tab(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    async with context:
        yield await context.new_page()


@pytest_asyncio.fixture(loop_scope="session")
async def tab(shared_tab: Page) -> AsyncIterator[Page]:
    """The tab of the tests before, without what they left: a new one costs a second of a core."""
    await shared_tab.set_viewport_size(DESKTOP)
    yield shared_tab
    await shared_tab.goto("about:blank")
    await shared_tab.emulate_media(color_scheme="null", reduced_motion="null")
    await shared_tab.context.clear_cookies()
    for other in shared_tab.context.pages:
        if other is not shared_tab:
            await other.close()


@pytest_asyncio.fixture(loop_scope="session")
async def lone_tab(browser: Browser) -> AsyncIterator[Page]:
    """A tab whose clock, requests and listeners a test may replace."""
    context = await browser.new_context(viewport=DESKTOP)
    context.set_default_timeout(PATIENCE_MS)
    async with context:
        yield await context.new_page()
