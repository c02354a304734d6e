"""Chromium for tests: the one of this machine, loudly missed where there is none."""

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from connectors.browser.finding import HOW_TO_INSTALL, find_browser
from connectors.browser.flags import NO_SANDBOX
from connectors.browser.renderer import BrowserRoute, Renderer, RenderLimits
from connectors.http.egress import EgressGuard
from schemas.records.egress_policy import EgressPolicy

NO_BROWSER = f"the browser agent is NOT TESTED: {HOW_TO_INSTALL}"
LIMITS = RenderLimits(total=60, body=200_000, traffic=5_000_000)


def is_required() -> bool:
    """Return whether tests with a browser must run instead of being skipped."""
    return os.environ.get("VOKTER_REQUIRE_BROWSER", "") not in {"", "0"}


def browser_path() -> str:
    """Return the path of a browser; without one the test is skipped, or fails if it must run."""
    found = find_browser(os.environ.get("VOKTER_BROWSER"))
    if found is None:
        (pytest.fail if is_required() else pytest.skip)(NO_BROWSER)
    return found


async def _allowed(url: str) -> str | None:
    return None


@asynccontextmanager
async def renderer(
    closed_ports: Collection[int] = (),
    limits: RenderLimits = LIMITS,
    count: int = 1,
    browser: str | None = None,
) -> AsyncIterator[Renderer]:
    """A renderer that may reach 127.0.0.1, except for these ports, and public addresses."""
    guard = EgressGuard(EgressPolicy(["127.0.0.1/32"], own=closed_ports))
    async with Renderer(
        browser or browser_path(),
        {"": BrowserRoute(guard, _allowed)},
        "Vokter/test",
        count=count,
        limits=limits,
    ) as rendering:
        yield rendering


@asynccontextmanager
async def remote_browser(folder: Path, *flags: str) -> AsyncIterator[str]:
    """Start a browser as somebody else would, with a profile in a folder; yields its URL."""
    options = ("--headless", "--remote-debugging-port=0", f"--user-data-dir={folder}")
    # Tests may run as root, who has no sandbox.
    process = await asyncio.create_subprocess_exec(
        browser_path(), *options, NO_SANDBOX, *flags, "about:blank", stderr=PIPE
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(60):
            while not (line := await process.stderr.readline()).startswith(b"DevTools listening"):
                assert line, "the browser ended"
        yield line.split()[-1].decode()
    finally:
        process.kill()
        await process.wait()
