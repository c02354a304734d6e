"""Signals reach the workers that they are meant for."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from signal import SIGTERM, Signals
from threading import Event
from typing import Any

import pytest

from streams.engine.life.loop_watch import BROKEN
from tests.chaos import crew as crews
from tests.chaos.crew import Crew
from tests.harness.waiting import until


class Worker:
    """A worker that ends when it is asked to; ``signals`` has the process id of each signal."""

    def __init__(self) -> None:
        self.pid = 1
        self.status: int | None = None
        self.signals: list[tuple[int, Signals]] = []
        self.said = ""

    def signal(self, number: Signals) -> None:
        self.signals.append((self.pid, number))
        self.status = 0

    def send(self, number: Signals) -> int:
        self.signal(number)
        return self.ended()

    def ended(self) -> int:
        assert self.status is not None
        return self.status

    def start(self) -> None:
        self.pid += 1
        self.status = None


class Deployment:
    """A deployment with one worker."""

    def __init__(self) -> None:
        self.worker = Worker()

    def start(self, *_: str, **__: object) -> None:
        pass

    def __getitem__(self, name: str) -> Worker:
        return self.worker


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Crew:
    monkeypatch.setattr(crews, "LOOK", 0)
    monkeypatch.setattr(crews, "RESTART", 0)
    deployment: Any = Deployment()
    return Crew(deployment, ("fetch",), "")


async def test_a_restart_of_a_worker_that_has_ended_stops_no_later_one(crew: Crew) -> None:
    busy, gate = ThreadPoolExecutor(1), Event()
    asyncio.get_running_loop().set_default_executor(busy)
    busy.submit(gate.wait)
    worker: Any = crew._deployment["fetch"]
    worker.status = BROKEN
    restarting = asyncio.create_task(crew.restart("fetch"))
    supervising = asyncio.create_task(crew.supervise(lambda _: None))
    await until(lambda: worker.pid == 2, "another process is started")
    gate.set()
    await restarting
    assert worker.signals == []
    supervising.cancel()


async def test_a_worker_that_is_restarted_gets_one_signal_and_starts_again(crew: Crew) -> None:
    supervising = asyncio.create_task(crew.supervise(lambda _: None))
    worker: Any = crew._deployment["fetch"]
    await crew.restart("fetch")
    await until(lambda: worker.pid == 2, "another process is started")
    assert worker.signals == [(1, SIGTERM)]
    assert not crew.ended, "it did not end by itself"
    supervising.cancel()
