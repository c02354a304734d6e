"""Waits until a rendered page is ready to be read."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from connectors.http.errors import FetchFailed
from schemas.records.rendering import MAX_WAIT_S, WaitFor

if TYPE_CHECKING:
    from playwright.async_api import Page

DEFAULT_S = 10.0
QUIET_S = 5.0
"""Longest time to wait for a page without further options to stop its requests."""


async def wait_for(page: "Page", wanted: WaitFor) -> None:
    """Wait for the requested end; raises FetchFailed after the timeout."""
    from playwright.async_api import Error, TimeoutError  # noqa: A004, PLC0415  # see process.py

    seconds = min(MAX_WAIT_S, DEFAULT_S if wanted.seconds is None else wanted.seconds)
    limit = seconds * 1000
    if wanted == WaitFor(seconds=wanted.seconds):
        await asyncio.sleep(seconds)
        return
    try:
        async with asyncio.timeout(seconds + 1):
            if wanted.selector is not None:
                await page.locator(wanted.selector).first.wait_for(state="attached", timeout=limit)
            if wanted.text is not None:
                await page.get_by_text(wanted.text).first.wait_for(timeout=limit)
            if wanted.network_idle:
                await page.wait_for_load_state("networkidle", timeout=limit)
    except TimeoutError as error:
        raise FetchFailed(f"waitFor {_words(wanted)}: not there after {seconds:g} s") from error
    except Error as error:
        raise FetchFailed(f"waitFor {_words(wanted)}: {first_line(error)}") from error


async def settle(page: "Page") -> None:
    """Wait until a page has loaded and has been quiet for half a second, for a while at most."""
    from playwright.async_api import TimeoutError  # noqa: A004, PLC0415  # see process.py

    with suppress(TimeoutError):
        await page.wait_for_load_state("load", timeout=DEFAULT_S * 1000)
        await page.wait_for_load_state("networkidle", timeout=QUIET_S * 1000)


def first_line(error: Exception) -> str:
    """Return the message of the browser's library, without its log."""
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


def _words(wanted: WaitFor) -> str:
    words = []
    if wanted.selector is not None:
        words.append(f'selector "{wanted.selector}"')
    if wanted.text is not None:
        words.append(f'text "{wanted.text}"')
    if wanted.network_idle:
        words.append("networkIdle")
    return ", ".join(words)
