"""What commands print for people, on standard error; their results are on standard output."""

import sys
from collections.abc import Callable, Iterable

Say = Callable[[str], None]


def say(line: str) -> None:
    """Print a line at once, through a pipe too."""
    print(line, file=sys.stderr, flush=True)


def shortened(names: Iterable[str]) -> str:
    """Return up to three names, and an ellipsis if there are more.

    Example:
        >>> shortened(["a", "b", "c", "d"])
        'a, b, c, …'
    """
    listed = list(names)
    return ", ".join(listed[:3]) + (", …" if len(listed) > 3 else "")
