"""How often a page is fetched, and when a watch notifies of a change, for people."""

from collections.abc import Mapping
from typing import Any

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def patience_text(item: Mapping[str, Any]) -> str:
    """Return when a subscription, as REST lists it, is notified; empty if at once.

    >>> patience_text({"patience": 86_400, "patienceVisits": 3})
    'once a change has stood for 1 day and 3 visits'
    """
    seconds, visits = item["patience"], item["patienceVisits"]
    parts = [_duration(seconds)] if seconds else []
    parts += [f"{visits} visits"] if visits else []
    return f"once a change has stood for {' and '.join(parts)}" if parts else ""


def interval_text(item: Mapping[str, Any]) -> str:
    """Return how often the page of a subscription, as REST lists it, is fetched.

    >>> interval_text({"interval": 600, "maxInterval": 86_400})
    'every 10 minutes, up to 1 day apart while it seldom changes'
    """
    every, longest = item["interval"], item["maxInterval"]
    text = f"every {_duration(every).removeprefix('1 ')}"
    return f"{text}, up to {_duration(longest)} apart while it seldom changes" if longest else text


def _duration(seconds: int) -> str:
    size, unit = next(each for each in _UNITS if seconds % each[0] == 0)
    return f"{seconds // size} {unit}" if seconds == size else f"{seconds // size} {unit}s"
