"""Visits a page with changedetection.io's Playwright fetcher, in its environment.

It connects to a browser that runs, as its container does. Its wait of 5 s for each page is set
to none: it costs time and no CPU. The screenshot that it takes of each page is part of a visit.
"""

import asyncio
import os
import subprocess
import sys
import tempfile

from loguru import logger  # type: ignore[import-not-found]  # in its environment

# It logs while it is imported, in each process that joins the parts of a screenshot.
logger.remove()
os.environ |= {"WEBDRIVER_DELAY_BEFORE_CONTENT_READY": "0", "ALLOW_IANA_RESTRICTED_ADDRESSES": "1"}

from changedetectionio.content_fetchers.playwright import (  # type: ignore[import-not-found]  # noqa: E402  # likewise, after what configures it
    fetcher,
)


async def main(url: str, visits: str, browser: str) -> None:
    """Visit it so many times."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ("--headless", "--no-sandbox", "--remote-debugging-port=0")
        process = subprocess.Popen(  # noqa: ASYNC220,S603  # our own command, once
            [browser, *options, f"--user-data-dir={profile}"], stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        line = next(each for each in process.stderr if each.startswith("DevTools listening"))
        for _ in range(int(visits)):
            visit = fetcher(custom_browser_connection_url=line.split()[-1])
            visit.screenshot_format = "JPEG"
            await visit.run(url=url, timeout=60, request_headers={}, watch_uuid="a")
            assert "item 199" in visit.content
        process.kill()
        process.wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
