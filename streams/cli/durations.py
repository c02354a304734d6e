"""Durations as people write them."""

import re

import typer

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"(\d{1,9})([smhd]?)")


def parse_duration(text: str | int) -> int:
    """Parse a duration to whole seconds; raises BadParameter.

    Example:
        >>> parse_duration("5m"), parse_duration("90")
        (300, 90)
    """
    found = _DURATION.fullmatch(str(text).strip())
    if found is None:
        raise typer.BadParameter(
            f"{text!r} is no duration; write seconds or a unit: 90, 90s, 5m, 2h, 1d"
        )
    return int(found[1]) * UNITS[found[2] or "s"]


def shown_duration(seconds: int) -> str:
    """Return a duration in its largest whole unit.

    Example:
        >>> shown_duration(300), shown_duration(90)
        ('5m', '90s')
    """
    for unit, size in reversed(UNITS.items()):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def shown_age(milliseconds: int) -> str:
    """Return an age in whole units, the largest of at least one.

    Example:
        >>> shown_age(150_000), shown_age(0)
        ('2m ago', '0s ago')
    """
    seconds = max(0, milliseconds // 1000)
    unit = max(
        (unit for unit, size in UNITS.items() if size <= seconds),
        key=UNITS.__getitem__,
        default="s",
    )
    return f"{seconds // UNITS[unit]}{unit} ago"
