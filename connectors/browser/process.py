"""A browser with its driver: started, watched, and ended with all its processes."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterable
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

import psutil

from connectors.browser.errors import BrowserUnavailable
from connectors.browser.finding import is_remote, say_unsafe
from connectors.browser.flags import FLAGS, NO_GPU, NO_SANDBOX, NOT_WANTED, NOWHERE, flag_fault

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

START_TIMEOUT_S = 30.0
END_TIMEOUT_S = 5.0
PROFILE = "--user-data-dir="
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_PATH")
"""Variables for a browser; ours have secrets."""


class BrowserProcess:
    """A running browser; ``visits`` counts its renderings."""

    def __init__(
        self,
        driver: "Playwright",
        driver_process: psutil.Process | None,
        browser: "Browser",
        home: TemporaryDirectory[str],
    ) -> None:
        """Use ``BrowserProcess.start``."""
        self._driver = driver
        self._driver_process = driver_process
        self._home = home
        self.browser = browser
        self.visits = 0
        self.is_ending = False

    @classmethod
    async def start(cls, browser: str, *, sandbox: bool) -> Self:
        """Start the browser at a path, or connect to the browser at a URL; a single call at a time.

        Raises BrowserUnavailable.
        """
        # Importing it takes 60 ms, and most processes render nothing.
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415

        driver, known = None, set(_drivers())
        # Nothing of a person's profile is read or written.
        home = TemporaryDirectory(prefix="vokter-browser-", ignore_cleanup_errors=True)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                driver = await async_playwright().start()
                process = next((each for each in _drivers() if each not in known), None)
                if is_remote(browser):
                    started = await _connected(driver, browser)
                else:
                    started = await _launched(driver, browser, home.name, sandbox=sandbox)
        except BaseException as error:
            if driver is not None:
                await _stopped(driver)
            # A start that is cancelled, or too late, may leave a driver that nobody knows.
            _kill_all(each for each in _drivers() if each not in known)
            home.cleanup()
            if not isinstance(error, Error | OSError | BrowserUnavailable):
                raise
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            verb = "use" if is_remote(browser) else "start"
            raise BrowserUnavailable(f"cannot {verb} the browser {browser}: {reason}") from error
        return cls(driver, process, started, home)

    @property
    def is_running(self) -> bool:
        """Whether the browser can render another page."""
        return self.browser.is_connected()

    def memory(self) -> int:
        """Return the bytes used by the browser and its driver, without shared memory."""
        return sum(map(_private_bytes, self._tree()))

    async def end(self) -> None:
        """Kill the browser, with all its processes; a remote browser is only left."""
        processes = await asyncio.to_thread(self._tree)
        commands = await asyncio.to_thread(lambda: list(map(_command, processes)))
        words = (word for command in commands for word in command)
        # The driver has made a folder for the browser, and removes it if it has the time.
        profile = next((w.removeprefix(PROFILE) for w in words if w.startswith(PROFILE)), None)
        for process in processes[:-1]:
            _kill(process.pid)
        await _stopped(self._driver)
        _kill_all(processes[-1:])
        await asyncio.to_thread(self._home.cleanup)
        if profile:
            await asyncio.to_thread(shutil.rmtree, profile, ignore_errors=True)

    def _tree(self) -> list[psutil.Process]:
        """Return the browser's processes and, last, its driver's."""
        driver = self._driver_process
        with suppress(psutil.Error):
            return [] if driver is None else [*driver.children(recursive=True), driver]
        return []


async def _connected(driver: "Playwright", url: str) -> "Browser":
    """Connect to a remote browser, if its pages cannot leave the proxy."""
    from playwright.async_api import Error  # noqa: PLC0415  # as above

    browser = await driver.chromium.connect_over_cdp(url)
    session = await browser.new_browser_cdp_session()
    arguments: list[str] = []
    with suppress(Error):  # it says nothing without --enable-automation
        arguments = (await session.send("Browser.getBrowserCommandLine"))["arguments"]
    fault = flag_fault(arguments)
    if fault is not None:
        raise BrowserUnavailable(fault)
    if NO_SANDBOX in arguments:
        say_unsafe(f"the remote one was started with {NO_SANDBOX}")
    return browser


async def _launched(driver: "Playwright", path: str, home: str, *, sandbox: bool) -> "Browser":
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return await driver.chromium.launch(
        executable_path=path,
        headless=True,
        chromium_sandbox=sandbox,
        args=(*FLAGS, NO_GPU),
        ignore_default_args=NOT_WANTED,
        proxy={"server": NOWHERE, "bypass": "<-loopback>"},
        artifacts_dir=home,
        env={**passed, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home},
        handle_sighup=False,
        handle_sigint=False,
        handle_sigterm=False,
    )


def _drivers() -> list[psutil.Process]:
    """Return the library's processes, which the library does not name."""
    children = psutil.Process().children()
    return [child for child in children if "run-driver" in _command(child)]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


async def _stopped(driver: "Playwright") -> None:
    with suppress(Exception):  # what has ended cannot be ended
        async with asyncio.timeout(END_TIMEOUT_S):
            await driver.stop()


def _private_bytes(process: psutil.Process) -> int:
    try:
        memory = process.memory_info()
    except psutil.Error:
        return 0
    return int(memory.rss - getattr(memory, "shared", 0))


def _kill_all(drivers: Iterable[psutil.Process]) -> None:
    """Kill drivers and their browsers."""
    for driver in drivers:
        with suppress(psutil.Error):
            for process in (*driver.children(recursive=True), driver):
                _kill(process.pid)


def _kill(pid: int) -> None:
    """Kill a process, and its group if a leader."""
    with suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
