"""Whether a browser can separate its pages from this machine."""

import os

import structlog

from connectors.browser.finding import is_remote

log = structlog.get_logger()

NO_SANDBOX = "the browser runs WITHOUT its sandbox"


def may_use_sandbox(browser: str) -> bool:
    """Return whether to start a browser with its sandbox; says loudly if not."""
    if is_remote(browser):
        return True
    if os.geteuid() == 0:
        say_unsafe("it refuses to use it as root; run the worker as another user")
        return False
    return True


def say_unsafe(why: str) -> None:
    """Log that pages are not separated from this machine as well as they could be."""
    log.warning(NO_SANDBOX, why=why)
