"""Finds the browser of this machine, and whether its sandbox is usable."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import structlog

log = structlog.get_logger()

PLACES = (
    # Without a window to draw: a visit takes a third of the CPU of the whole browser's.
    "/usr/lib/chromium/chromium-headless-shell",
    # Debian's own command is a script that adds extensions and the flags of /etc.
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
COMMANDS = (
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
HOW_TO_INSTALL = (
    "no Chromium is installed: `apt-get install chromium-headless-shell` on Debian, `chromium` on "
    "Ubuntu, "
    "`brew install --cask chromium` on macOS, or name one with VOKTER_BROWSER"
)


def is_remote(browser: str) -> bool:
    """Return whether a setting names a remote browser, by its DevTools URL.

    >>> is_remote("ws://browser:9222/devtools/browser/1")
    True
    """
    return browser.startswith(("ws://", "wss://", "http://", "https://"))


def find_browser(chosen: str | None = None, places: Iterable[str] = PLACES) -> str | None:
    """Return the path of a browser, or the URL of a remote browser; None if there is none.

    ``chosen`` is the deployment's browser, which counts alone if set.
    """
    if chosen:
        return chosen if is_remote(chosen) or shutil.which(chosen) else None
    found = (place for place in places if Path(place).exists())
    return next(found, None) or next(filter(None, map(shutil.which, COMMANDS)), None)


def may_use_sandbox(browser: str) -> bool:
    """Return whether to start a browser with its sandbox; says loudly if not."""
    if is_remote(browser):
        return True
    if os.geteuid() == 0:
        say_unsafe("it refuses to use it as root; run the worker as another user")
        return False
    return True


def say_unsafe(why: str) -> None:
    """Log a weaker separation of pages from this machine."""
    log.warning("the browser runs WITHOUT its sandbox", why=why)
