"""A stop of a command before its work has begun."""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any
from unittest.mock import Mock

import pytest

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
