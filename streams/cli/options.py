"""Options, settings and logs of all commands, and running until they are stopped."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from streams.cli.output import say

if TYPE_CHECKING:
    from streams.settings import Settings

Result = TypeVar("Result")

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a supervisor, and a closed terminal."""
ANSWER_TIMEOUT_S = 30.0
"""A command waits so long for match, longer than the API: Ctrl-C ends the wait."""

Manager = Annotated[str, typer.Option(help="Act for this manager.")]
OfManager = Annotated[str, typer.Option(help="Only those of this manager.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
DataDir = Annotated[
    Path | None,
    typer.Option(help="Data folder: local broker, store, state, logs. [VOKTER_DATA_DIR]"),
]


def settings_of(**options: Any) -> "Settings":
    """Load settings from the environment; a command's options, unless None, go first.

    Raises UnknownSettings or pydantic's ValidationError.
    """
    from streams.settings import Settings  # noqa: PLC0415 - pydantic takes 0.2 s, --help none
    from streams.settings.unknown import check_variables  # noqa: PLC0415 - as above

    check_variables(os.environ)
    return Settings(**{name: value for name, value in options.items() if value is not None})


def log_as_service(settings: "Settings") -> None:
    """Log for operators, as a process of a deployment does."""
    _set_up_logs(settings, for_a_person=False)


def run(work: Coroutine[Any, Any, None], *, until_stopped: bool = False) -> None:
    """Run a command at a terminal until done or stopped.

    After a stop before the end the status is 128 and the signal's number, as in a shell; for a
    command meant to run ``until_stopped``, a stop is a success.
    """
    with closing(work):  # Ctrl-C may come before it begins
        _set_up_logs(settings_of(), for_a_person=True)
        stop = run_until_stopped(work)
    if stop is not None and not until_stopped:
        raise typer.Exit(128 + stop)


def result_of(work: Coroutine[Any, Any, Result]) -> Result:
    """Run the short work of a command at a terminal, and return its result."""
    with closing(work):
        _set_up_logs(settings_of(), for_a_person=True)
        return asyncio.run(work)


def run_until_stopped(work: Coroutine[Any, Any, None]) -> signal.Signals | None:
    """Run until done or stopped; return the signal of a stop."""

    async def until_signal() -> signal.Signals | None:
        task, stops = asyncio.create_task(work), list[signal.Signals]()
        loop = asyncio.get_running_loop()

        def stop(number: signal.Signals) -> None:
            stops.append(number)
            task.cancel()

        for number in _heard_stops():
            loop.add_signal_handler(number, stop, number)
        try:
            await task
        except asyncio.CancelledError:
            if task.cancelled():  # not the end of a pipe, at which Rich exits
                say("Stopped.")
                return stops[0]
        return None

    return asyncio.run(until_signal())


@contextmanager
def stops_as_exits() -> Iterator[None]:
    """Let a stop of a command without an event loop end it as an error does, with its clean-up."""

    def stop(number: int, _: FrameType | None) -> None:
        say("Stopped.")
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in _heard_stops()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heard_stops() -> list[signal.Signals]:
    """Return the signals of a stop; under nohup a closed terminal is none."""
    is_kept = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return [number for number in STOPS if number != signal.SIGHUP or not is_kept]


def _set_up_logs(settings: "Settings", *, for_a_person: bool) -> None:
    from streams.effects.logs import configure_logs  # noqa: PLC0415 - a command that only prints needs no structlog

    configure_logs(settings.log_level, settings.log_format, for_a_person=for_a_person)
