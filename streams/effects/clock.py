"""The clock of agents and commands."""

from time import time


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return int(time() * 1000)
