"""Long computations in steps, between which the event loop can do other work."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Steps = Generator[None, None, T]
"""A computation with a stop after each few milliseconds of work, and a result."""


def completed(steps: Steps[T]) -> T:
    """Run a computation to its end without a stop, and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
