"""Subscriptions with a rule in plain words, and the process of a model that fails."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Any

from aiohttp import ClientError

from streams.settings import Settings
from tests.harness.hooks import Hooks
from tests.harness.load import MARK, Watcher
from tests.harness.pages import Page
from tests.harness.processes import Process
from tests.harness.rest import Rest
from tests.servers.model import NAME

RULE = "only what is 'odd'"
HOLD_S = 30
"""Seconds for which notifications of every other subscription may wait to be judged."""
LOOK_S = 5.0
MODEL_TIMEOUT_S = 3.0


def model_settings(port: int) -> dict[str, Any]:
    """Return the settings of a deployment with a model on a port of loopback."""
    url = f"http://127.0.0.1:{port}/v1"
    budgets = {"model_calls": 1_000_000, "model_tokens": 1_000_000_000}
    return {"model_url": url, "model": NAME, "model_timeout": MODEL_TIMEOUT_S, **budgets}


@dataclass(frozen=True, slots=True)
class Judged(Watcher):
    """Has a rule: each version is delivered or listed as suppressed.

    The versions that the rule wants are delivered in any case. A POST of a version that is listed
    as suppressed is explained by nothing.
    """

    suppressed: set[int] = field(default_factory=set)

    def expected(self, versions: int) -> set[int]:
        every = range(2, versions + 1)
        return {version for version in every if version % 2 or version not in self.suppressed}


class Rules:
    """All of them."""

    def __init__(self, pages: Sequence[Page], hooks: Hooks) -> None:
        self.watchers = [Judged(page, hooks.add(), "*") for page in pages]
        self._by_id: dict[str, Judged] = {}

    async def subscribe(self, rest: Rest, interval: int) -> None:
        """Subscribe all of them."""
        for number, each in enumerate(self.watchers):
            hold: dict[str, int] = {"holdUnjudged": HOLD_S} if number % 2 else {}
            url, to = each.page.url, each.hook.url
            name = await rest.subscribe(url, to, "*", interval=interval, rule=RULE, **hold)
            self._by_id[name] = each

    async def follow(self, rest: Rest) -> None:
        """Read what is listed as suppressed, until cancelled."""
        while True:
            with suppress(ClientError, TimeoutError):
                for each in await rest.every("suppressed"):
                    marks = (MARK.search(diff["text"]) for diff in each["diffs"])
                    newest = max(int(mark[1]) for mark in marks if mark)
                    self._by_id[each["subscription"]].suppressed.add(newest)
            await asyncio.sleep(LOOK_S)

    def disordered(self) -> list[str]:
        """Return those that were notified of a version after a later one."""
        return [
            f"disordered: {each.page.url} {each.hook.url}: {versions}"
            for each in self.watchers
            if (versions := list(each.notified())) != sorted(versions)
        ]


class ModelProcess:
    """The process of the model; one outage at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._is_taken = asyncio.Lock()
        process.start()

    async def killed(self, seconds: float) -> None:
        """Kill it, and start it again after some seconds."""
        async with self._is_taken:
            await asyncio.to_thread(self._process.send, SIGKILL)
            await asyncio.sleep(seconds)
            self._process.start()

    async def stopped(self, seconds: float) -> None:
        """Stop its execution for some seconds (SIGSTOP): it accepts calls and answers none."""
        async with self._is_taken:
            self._process.signal(SIGSTOP)
            await asyncio.sleep(seconds)
            self._process.signal(SIGCONT)


@contextmanager
def running_model(settings: Settings, port: int, seed: int) -> Iterator[ModelProcess]:
    """Run a model that answers nonsense now and then, as a seed says."""
    line = (sys.executable, "-m", "tests.servers.model", str(port), str(seed))
    process = Process("model", line, settings)
    try:
        yield ModelProcess(process)
    finally:
        process.kill()
