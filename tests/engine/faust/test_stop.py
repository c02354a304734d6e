"""A worker's exit status says whether it was asked to stop."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from signal import SIGTERM
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from streams.engine.faust import app as module
from streams.engine.faust.app import PatchedApp, PatchedWorker
from streams.engine.life.pulse import BROKEN
from tests.fakes.parts import fake_parts


@asynccontextmanager
async def _services() -> AsyncIterator[None]:
    yield


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[PatchedApp]:
    """An app that ends with SystemExit instead of its process."""
    monkeypatch.setattr(module, "leave", sys.exit)
    monkeypatch.setattr(module, "Timer", Mock())
    parts = fake_parts(flow=SimpleNamespace(is_open=False), services=_services)
    app = PatchedApp("stopping", parts, broker="kafka://127.0.0.1:1", store="memory://")
    app.finalize()
    yield app
    # Python before 3.11.8 cannot compile a module while such garbage is collected.
    gc.collect()


async def stopped(app: PatchedApp) -> int:
    """Stop the app and return the status that its process would exit with."""
    with pytest.raises(SystemExit) as end:
        await app.on_stop()
    return int(str(end.value))


async def test_a_stop_that_a_signal_asked_for_is_a_success(
    app: PatchedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = PatchedWorker(app, override_logging=False, redirect_stdouts=False, quiet=True)
    worker.loop = Mock(time=Mock(return_value=1.0))
    monkeypatch.setattr(asyncio, "ensure_future", lambda stop, loop: stop.close())
    worker._schedule_shutdown(SIGTERM)
    assert await stopped(app) == 0


async def test_a_stop_that_nobody_asked_for_is_a_failure(app: PatchedApp) -> None:
    """A part of Faust that loses its broker stops the app, which has not crashed itself."""
    assert not app.crashed
    assert await stopped(app) == BROKEN


async def test_a_crash_during_a_stop_that_was_asked_for_is_a_failure(app: PatchedApp) -> None:
    app.stop_is_asked = True
    await app.crash(RuntimeError("lost"))
    assert await stopped(app) == BROKEN
