"""What commands share: options, settings, and running until they are stopped."""

import asyncio
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from streams.cli.output import say
from streams.settings import Settings

DataDir = Annotated[
    Path | None,
    typer.Option(help="Data folder: local broker, store, state, logs. [VOKTER_DATA_DIR]"),
]


def settings_of(**options: Any) -> Settings:
    """Load settings from the environment; a command's options, unless None, go first."""
    return Settings(**{name: value for name, value in options.items() if value is not None})


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run until done, or until SIGINT or SIGTERM; these are no errors."""
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
