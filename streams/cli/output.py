"""What commands print for people, on standard error; their results are on standard output."""

import sys
from collections.abc import Callable

Say = Callable[[str], None]


def say(line: str) -> None:
    """Print a line at once, through a pipe too."""
    print(line, file=sys.stderr, flush=True)
