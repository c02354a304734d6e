"""Workers that are killed and frozen, and restarted whenever they have ended."""

import asyncio
from collections import Counter
from collections.abc import Callable
from signal import SIGCONT, SIGKILL, SIGSTOP, SIGTERM, Signals
from time import time

from tests.chaos.endings import reason_of
from tests.chaos.repeats import Ending
from tests.harness.processes import Deployment

LOOK = 0.1
RESTART = 1.0
"""Seconds until a process that ended by itself is restarted."""


class Crew:
    """All workers of a deployment, with a supervisor."""

    def __init__(self, deployment: Deployment, names: tuple[str, ...], second: str) -> None:
        """Start these workers; the second ones reach the brokers at these addresses."""
        self.killed = 0
        self.ended: Counter[str] = Counter()
        self.endings: list[Ending] = []
        self._deployment = deployment
        self._names = set(names)
        self._back: dict[str, float] = {}
        self._frozen: set[str] = set()
        self._said: Counter[str] = Counter()
        others = [name for name in names if name.endswith("-2")]
        deployment.start(*others, kafka=second)
        deployment.start(*(name for name in names if name not in others))

    def living(self, agent: str) -> str:
        """Return a worker of an agent that is alive."""
        return f"{agent}-2" if agent in self._back else agent

    def pid(self, name: str) -> int:
        """Return the process id of a worker."""
        return self._deployment[name].pid

    def join(self, name: str) -> None:
        """Start one more worker."""
        self._deployment.start(name)
        self._names.add(name)

    async def leave(self, name: str) -> None:
        """Stop a worker for good."""
        self._names.discard(name)
        await self._send(name, SIGTERM, "was stopped")

    async def kill(self, name: str, away: float) -> None:
        """Kill a worker, unless it is dead or frozen; restart it after ``away`` s."""
        process = self._deployment[name]
        if process.status is not None or name in self._frozen:
            return
        self._back[name] = asyncio.get_running_loop().time() + away
        self.killed += 1
        await self._send(name, SIGKILL, "was killed")

    async def restart(self, name: str) -> None:
        """Stop a worker cleanly (SIGTERM), unless it is dead; its supervisor starts it at once."""
        if self._deployment[name].status is not None:
            return
        self._back[name] = asyncio.get_running_loop().time()
        await self._send(name, SIGTERM, "was stopped")

    async def stop(self) -> None:
        """Stop all workers, while the proxies still serve those that need it to release."""
        for name in self._names:
            self._deployment[name].signal(SIGTERM)
        for name in self._names:
            await asyncio.to_thread(self._deployment[name].end)

    async def freeze(self, name: str, seconds: float) -> None:
        """Stop a worker's execution for some seconds (SIGSTOP)."""
        process = self._deployment[name]
        self._frozen.add(name)
        self.endings.append(Ending(time(), name, "was frozen"))
        process.signal(SIGSTOP)
        await asyncio.sleep(seconds)
        process.signal(SIGCONT)
        self._frozen.remove(name)

    async def supervise(self, say: Callable[[str], None]) -> None:
        """Restart what has ended, until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            for name in self._names:
                status = self._deployment[name].status
                if status is None:
                    continue
                if name not in self._back:
                    self._back[name] = now() + RESTART
                    self.endings.append(Ending(time(), name, f"ended: {self._reason(name)}"))
                    ending = f"status {status}: {self._reason(name)}"
                    self.ended[f"{name.partition('-')[0]} {ending}"] += 1
                    say(f"{name} ended with {ending}")
                elif now() >= self._back[name]:
                    del self._back[name]
                    self._deployment[name].ended()
                    self._said[name] = len(self._deployment[name].said)
                    self._deployment[name].start()
            await asyncio.sleep(LOOK)

    async def _send(self, name: str, number: Signals, how: str) -> None:
        self.endings.append(Ending(time(), name, how))
        process = self._deployment[name]
        pid = process.pid
        # Not in a thread, which may have its turn when another process has this name already:
        # that one would end by a signal that nobody knows of.
        process.signal(number)
        # ASYNC110: other processes have no event to wait for
        while process.pid == pid and process.status is None:  # noqa: ASYNC110
            await asyncio.sleep(LOOK)

    def _reason(self, name: str) -> str:
        """Look for it in what this start of the process has logged."""
        return reason_of(self._deployment[name].said[self._said[name] :])
