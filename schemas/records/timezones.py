"""Time zones by their IANA names, as clients choose them."""

from difflib import get_close_matches
from functools import cache
from zoneinfo import available_timezones


@cache
def timezones() -> tuple[str, ...]:
    """Return the names of all time zones, sorted."""
    return tuple(sorted(available_timezones()))


def timezone_fault(name: str) -> str | None:
    """Return the error for an unknown time zone, None for a known time zone.

    >>> timezone_fault("Europe/Berlin"), timezone_fault("Europe/Berln")
    (None, 'the IANA name of a time zone is expected (perhaps Europe/Berlin)')
    """
    if name in timezones():
        return None
    near = get_close_matches(name[:80], timezones(), 1)
    hint = f"perhaps {near[0]}" if near else "such as Europe/Berlin"
    return f"the IANA name of a time zone is expected ({hint})"
