"""A handler that fails is called again after each pause, until the last."""

import pytest

from connectors.client.inbox import NotHandled, attempted


class Handler:
    """Does what its script says, then succeeds."""

    def __init__(self, *script: object) -> None:
        self.script = list(script)
        self.calls = 0
        self.slept: list[float] = []

    async def __call__(self) -> object:
        self.calls += 1
        result = self.script.pop(0) if self.script else None
        if isinstance(result, Exception):
            raise result
        return result

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.mark.parametrize("result", [None, True, 0, ""])
async def test_any_result_but_false_counts_as_handled(result: object) -> None:
    handler = Handler(result)
    assert await attempted(handler, (1, 2), handler.sleep, "x") is None
    assert (handler.calls, handler.slept) == (1, [])


async def test_a_failure_is_retried_after_each_pause() -> None:
    handler = Handler(False, OSError("down"))
    assert await attempted(handler, (1, 2), handler.sleep, "x") is None
    assert (handler.calls, handler.slept) == (3, [1, 2])


async def test_after_the_last_pause_the_last_error_is_returned() -> None:
    error = OSError("down")
    handler = Handler(False, False, error)
    assert await attempted(handler, (1, 2), handler.sleep, "x") is error
    refusing = Handler(False)
    assert isinstance(await attempted(refusing, (), refusing.sleep, "x"), NotHandled)


async def test_an_error_that_ends_the_program_is_not_retried() -> None:
    async def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await attempted(stop, (1,), Handler().sleep, "x")
