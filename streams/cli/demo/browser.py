"""Show an address in the browser of who sits at the machine."""

import asyncio
import os
import sys
import webbrowser


def is_at_a_desktop() -> bool:
    """Return whether somebody looks at a terminal on a desktop, with no text browser in it."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    has_windows = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return sys.platform in {"darwin", "win32"} or bool(has_windows)


async def show(url: str) -> None:
    """Open a tab with an address; without a browser, nothing happens."""
    await asyncio.to_thread(webbrowser.open, url)
