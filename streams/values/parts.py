"""Split content too large for a message."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def parts(several: Iterable[T], weight: Callable[[T], int], most: int) -> Iterator[tuple[T, ...]]:
    """Split items, in their order, so each part weighs ``most``, or is a single heavier item.

    >>> list(parts(["one", "two", "three", "of"], len, 6))
    [('one', 'two'), ('three',), ('of',)]
    """
    part: list[T] = []
    size = 0
    for item in several:
        added = weight(item)
        if part and size + added > most:
            yield tuple(part)
            part, size = [], 0
        part.append(item)
        size += added
    if part:
        yield tuple(part)
