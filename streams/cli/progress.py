"""A bar for what takes long, on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

PATIENCE = 2.0
"""Seconds before a bar is shown."""


@contextmanager
def progress(
    title: str, total: int | None = None, clock: Callable[[], float] = monotonic
) -> Iterator[Callable[[int], None]]:
    """Give what is to be told how much more is done; ``total`` is how much there is, if known."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(title, total=total)
    begun = clock()

    def advance(count: int) -> None:
        bar.update(task, advance=count)
        if not bar.live.is_started and clock() - begun > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()
