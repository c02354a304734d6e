"""Progress bars for slow work, on a terminal only."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

Item = TypeVar("Item")

SHOW_AFTER_S = 2.0
"""Faster work shows no bar."""
_TITLE_AND_BAR = TextColumn("{task.description}"), BarColumn()


@contextmanager
def progress(
    title: str, total: int | None = None, clock: Callable[[], float] = monotonic
) -> Iterator[Callable[[int], None]]:
    """Show a bar; call the yielded function with the number of items done since the last call.

    Example:
        >>> with progress("rows", total=2) as advance:
        ...     advance(2)
    """
    with _hidden(*_TITLE_AND_BAR, MofNCompleteColumn()) as bar:
        task = bar.add_task(title, total=total)
        begun = clock()

        def advance(count: int) -> None:
            bar.update(task, advance=count)
            if not bar.live.is_started and clock() - begun > SHOW_AFTER_S:
                bar.start()

        yield advance


async def counted(items: AsyncIterable[Item], title: str) -> AsyncIterator[Item]:
    """Pass items on, and show how many there were so far."""
    with progress(title) as advance:
        async for item in items:
            advance(1)
            yield item


@asynccontextmanager
async def waiting(title: str, show_after: float = SHOW_AFTER_S) -> AsyncIterator[None]:
    """Show the wait of a command, after ``show_after`` seconds."""
    with _hidden(*_TITLE_AND_BAR) as bar:
        bar.add_task(title, total=None)
        late = asyncio.get_running_loop().call_later(show_after, bar.start)
        try:
            yield
        finally:
            late.cancel()


async def waited_for(items: AsyncIterator[Item], title: str) -> AsyncIterator[Item]:
    """Pass items on, and show a bar during the wait for a slow next item."""
    while True:
        async with waiting(title):
            try:
                item = await anext(items)
            except StopAsyncIteration:
                return
        yield item


@contextmanager
def _hidden(*columns: TextColumn | BarColumn | MofNCompleteColumn) -> Iterator[Progress]:
    """Make a bar to start and to disappear at the end; without a terminal, none."""
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    try:
        yield bar
    finally:
        bar.stop()
