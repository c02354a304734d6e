"""History: neither backfills nor pages that are read again wait for the others."""

import asyncio
from typing import Any

from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.views import WatchedView
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from tests.agents.history.test_backfill import TEXTS, Found, Register, granted
from tests.agents.history.test_backtest import URL
from tests.fakes.engine import INPUT, Engine
from tests.fakes.events import event
from tests.harness.waiting import until


class Agent:
    """The agent in its engine; all requests are in one partition."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.begun: list[str] = []
        self.may_read_pages = asyncio.Event()
        self.history = Found(TEXTS, reprocess=self._reprocess)
        self.engine.use(PoolRunner(self.history.agent, *self.engine.parts, Throttle(1000)))

    async def ask(self, *requests: Any) -> None:
        """Hand over the first requests."""
        await self.engine.begin()
        ledger = self.engine.acks.ledgers[INPUT]
        for offset, request in enumerate(requests):
            assert ledger.take(offset)
            asked = event(request, topic="history-requests", offset=offset)
            self.engine.flow._submit(asked, ledger)

    async def sent(self, count: int) -> list[str]:
        """Wait for so many records, and return what they are: notifications, or runs of pages."""
        sends = self.engine.durable.sends
        await until(lambda: len(sends) >= count, f"{count} records are sent")
        records = [send.record for send in sends]
        return [each.run if isinstance(each, Reprocessed) else "notified" for each in records]

    async def _reprocess(self, command: Reprocess) -> Reprocessed:
        self.begun.append(command.run)
        await self.may_read_pages.wait()
        return Reprocessed(command.run, command.url, command.view, ())


def page(run: str) -> Reprocess:
    return Reprocess(run, URL, "", WatchedView())


async def test_a_backfill_does_not_wait_for_pages_before_it_which_are_read_one_by_one() -> None:
    agent = Agent()
    await agent.ask(page("1"), page("2"), granted(Register().subscription))
    assert await agent.sent(4) == ["notified"] * 4
    assert agent.begun == ["1"]
    agent.may_read_pages.set()
    assert await agent.sent(6) == [*["notified"] * 4, "1", "2"]


async def test_a_page_does_not_wait_for_a_backfill_before_it() -> None:
    agent = Agent()
    agent.may_read_pages.set()
    agent.history.may_read.clear()
    await agent.ask(granted(Register().subscription), page("1"))
    assert await agent.sent(1) == ["1"]
    agent.history.may_read.set()
    assert await agent.sent(5) == ["1", *["notified"] * 4]
