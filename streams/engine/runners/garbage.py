"""Spare Python's garbage collector work that is of no use."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 20_000
"""How many are made between two collections; Python's 700 are a few events of ours."""


def collect_seldom() -> None:
    """Let the garbage collector run less often than by default."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)


@contextmanager
def long_lived_objects() -> Iterator[None]:
    """Exempt what is made within from collection: it is to stay, and would be visited each time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
