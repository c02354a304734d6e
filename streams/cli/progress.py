"""A bar for what takes long, on a terminal."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds before a bar is shown."""
_PARTS = TextColumn("{task.description}"), BarColumn()


@contextmanager
def progress(
    title: str, total: int | None = None, clock: Callable[[], float] = monotonic
) -> Iterator[Callable[[int], None]]:
    """Give what is to be told how much more is done; ``total`` is how much there is, if known."""
    with _hidden(*_PARTS, MofNCompleteColumn()) as bar:
        task = bar.add_task(title, total=total)
        begun = clock()

        def advance(count: int) -> None:
            bar.update(task, advance=count)
            if not bar.live.is_started and clock() - begun > PATIENCE:
                bar.start()

        yield advance


async def counted(items: AsyncIterable[Item], title: str) -> AsyncIterator[Item]:
    """Pass items on, with a bar that counts them."""
    with progress(title) as advance:
        async for item in items:
            advance(1)
            yield item


@asynccontextmanager
async def waiting(title: str, patience: float = PATIENCE) -> AsyncIterator[None]:
    """Show, after a while (s), that something is waited for of which no more is known."""
    with _hidden(*_PARTS) as bar:
        bar.add_task(title, total=None)
        late = asyncio.get_running_loop().call_later(patience, bar.start)
        try:
            yield
        finally:
            late.cancel()


async def waited_for(items: AsyncIterator[Item], title: str) -> AsyncIterator[Item]:
    """Pass items on, and show where one has itself waited for."""
    while True:
        async with waiting(title):
            try:
                item = await anext(items)
            except StopAsyncIteration:
                return
        yield item


@contextmanager
def _hidden(*columns: TextColumn | BarColumn | MofNCompleteColumn) -> Iterator[Progress]:
    """Give a bar that is to be started, and that leaves nothing behind; none without terminal."""
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    try:
        yield bar
    finally:
        bar.stop()
