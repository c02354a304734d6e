"""What the commands print."""

import sys
from collections.abc import Callable

Say = Callable[[str], None]


def say(line: str) -> None:
    """Print a progress line, seen at once also through a pipe."""
    print(line, file=sys.stderr, flush=True)
