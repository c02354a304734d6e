"""The tasks that keep a deployment running go on after any error, or end the deployment."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from infra.errors import InfraError
from streams.cli.local import deployment
from streams.cli.local.deployment import Keep


class Broker:
    """A broker that has ended, and cannot be started as often as said."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)
        self.is_running = False

    def start(self) -> None:
        if self._errors:
            raise self._errors.pop(0)
        self.is_running = True


@pytest.mark.parametrize("error", [OSError("full"), InfraError("taken"), ValueError("damaged")])
async def test_a_broker_is_started_until_that_succeeds(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, broker, ready = list[str](), Broker(error, error), asyncio.Event()

    async def at_once(_: float) -> None:
        if broker.is_running:
            ready.set()
            await asyncio.Event().wait()

    monkeypatch.setattr("streams.cli.local.deployment.asyncio.sleep", at_once)
    started: Any = broker
    keeping = asyncio.create_task(deployment._keep_running(started, said.append))
    await ready.wait()
    keeping.cancel()
    assert said.count(f"The local broker did not start: {error}") == 2


async def _fails() -> None:
    raise RuntimeError("no more")


@asynccontextmanager
async def kept(work: Callable[[], Any]) -> AsyncIterator[Keep]:
    async with deployment._keepers() as keep:
        task = keep(work())
        yield keep
        task.cancel()


async def test_a_keeper_that_fails_ends_the_deployment_and_says_why() -> None:
    with pytest.raises(InfraError, match="no more"):
        async with kept(_fails):
            await asyncio.Event().wait()
    assert not asyncio.current_task().cancelling()  # type: ignore[union-attr]  # a test is a task


async def test_a_keeper_is_cancelled_in_silence() -> None:
    async with deployment._keepers() as keep:
        task = keep(asyncio.Event().wait())  # type: ignore[arg-type]  # its result is no matter
        task.cancel()
        await asyncio.sleep(0)


async def test_an_error_of_the_deployment_is_its_own() -> None:
    with pytest.raises(ValueError, match="other"):
        async with kept(asyncio.Event().wait):
            raise ValueError("other")
