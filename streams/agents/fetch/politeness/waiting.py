"""Why a page that is due is not fetched yet, for people."""

from typing import Any

from streams.agents.fetch.politeness.host_line import HELD_BACK_S, HostLine


def why_page_waits(line: HostLine[Any], url: str, now: float, pause: float) -> str:
    """Return for what a page of a host waits; ``pause`` (s) is that between two requests."""
    page = line.get(url)
    if page is not None and page.ready > now + HELD_BACK_S:
        return "the last visit took long, so other pages of its host go first"
    load = line.load.value(now)
    if load > 1:
        every = f"one every {pause:g} s" if pause else "one at a time"
        return f"its host is asked for {load:.1f} times as many visits as it can have, {every}"
    return "other pages of its host"
