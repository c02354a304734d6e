"""A start of a browser that comes to nothing leaves no process."""

import asyncio
import sys
from collections.abc import Iterator

import psutil
import pytest
from playwright import async_api

from connectors.browser import process
from connectors.browser.errors import BrowserUnavailable
from connectors.browser.process import BrowserProcess
from tests.harness.waiting import TIMEOUT_S, until

DRIVER = (sys.executable, "-c", "import time; time.sleep(600)", "run-driver")


class Stuck:
    """A library that starts its driver, and hears nothing of it."""

    def __init__(self) -> None:
        self.driver: asyncio.subprocess.Process | None = None
        self.has_begun = asyncio.Event()

    def __call__(self) -> "Stuck":
        return self

    async def start(self) -> None:
        self.driver = await asyncio.create_subprocess_exec(*DRIVER)
        command = psutil.Process(self.driver.pid).cmdline
        await until(lambda: "run-driver" in command(), "it is no copy of this process any more")
        self.has_begun.set()
        await asyncio.Event().wait()


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stuck]:
    library = Stuck()
    monkeypatch.setattr(async_api, "async_playwright", library)
    yield library
    if library.driver is not None and library.driver.returncode is None:
        library.driver.kill()


async def test_the_driver_of_a_start_that_is_cancelled_is_ended(stuck: Stuck) -> None:
    starting = asyncio.create_task(BrowserProcess.start("/bin/browser", sandbox=True))
    await stuck.has_begun.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert stuck.driver is not None
    assert await asyncio.wait_for(stuck.driver.wait(), TIMEOUT_S) != 0


async def test_the_driver_of_a_start_that_takes_too_long_is_ended(
    stuck: Stuck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "START_TIMEOUT_S", 2.0)
    with pytest.raises(BrowserUnavailable, match="TimeoutError"):
        await BrowserProcess.start("/bin/browser", sandbox=True)
    assert stuck.driver is not None
    assert await asyncio.wait_for(stuck.driver.wait(), TIMEOUT_S) != 0
