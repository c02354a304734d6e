"""What commands share: options, settings, and how they run until they are stopped."""

import asyncio
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from streams.cli.text import say
from streams.settings import Settings

DataDir = Annotated[
    Path | None, typer.Option(help="Folder of everything that is kept. [VOKTER_DATA_DIR]")
]


def settings_of(**given: Any) -> Settings:
    """Settings from the environment, with what was given as an option."""
    return Settings(**{name: value for name, value in given.items() if value is not None})


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run until done, or until SIGINT or SIGTERM, which are no errors."""
    asyncio.run(_until_signal(work))


async def _until_signal(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        say("Stopped.")
