"""A stop of a command, before its work has begun or has ended."""

import asyncio
import inspect
import os
from collections.abc import Callable, Coroutine
from signal import SIGTERM
from typing import Any
from unittest.mock import Mock

import pytest
import typer
from typer.testing import CliRunner

from streams.cli import options


async def work() -> None:
    """Would be warned of if it were neither awaited nor closed."""


@pytest.mark.parametrize("run", [options.run, options.result_of])
def test_ctrl_c_during_the_start_of_a_command_leaves_no_work_behind(
    run: Callable[[Coroutine[Any, Any, None]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "_set_up_logs", Mock(side_effect=KeyboardInterrupt))
    asked = work()
    with pytest.raises(KeyboardInterrupt):
        run(asked)
    assert inspect.getcoroutinestate(asked) == inspect.CORO_CLOSED


@pytest.mark.parametrize(("until_stopped", "status"), [(False, 128 + SIGTERM), (True, 0)])
def test_a_command_that_is_stopped_before_its_end_does_not_succeed(
    until_stopped: bool, status: int
) -> None:
    async def work() -> None:
        os.kill(os.getpid(), SIGTERM)
        await asyncio.Event().wait()

    command = typer.Typer()
    command.command()(lambda: options.run(work(), until_stopped=until_stopped))
    result = CliRunner().invoke(command)
    assert (result.exit_code, result.stderr) == (status, "Stopped.\n")
