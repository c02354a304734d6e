"""The ticker and fetch together: each page is visited at each of its slots."""

import asyncio

import pytest

from schemas.records.fetches import Due, FetchDue
from schemas.records.subscription_facts import Cancelled
from schemas.records.views import DEFAULT_VIEWS
from schemas.records.watches import Watch
from streams.agents.fetch.host_queues import HostQueues
from streams.agents.fetch.part_visits import PartVisits
from streams.agents.ticker.agent import TickerProcessor
from streams.values.slots import SLOT_STEP_MS, TICK_MS, newest_slot
from tests.fakes.events import event
from tests.harness.virtual_time import in_virtual_time

START = 1_700_000_000_000
SECONDS = 8
LATENESS_S = 0.02
"""How long a command is on its way."""


def url_of(host: int) -> str:
    return f"http://host-{host}.test/"


PHASES = {newest_slot(url_of(host), 1, START) % TICK_MS: url_of(host) for host in range(1000)}
"""A page for each phase."""


@pytest.mark.parametrize("interval", [1, 2, 3])
def test_a_page_is_visited_at_each_of_its_slots_whatever_its_phase(interval: int) -> None:
    assert len(PHASES) == TICK_MS // SLOT_STEP_MS
    slots, visits = in_virtual_time(visited(interval))
    assert slots >= len(PHASES) * (SECONDS // interval - 1)
    assert len(visits) == slots, "none replaces another"
    assert all(0 <= at - slot <= 1000 * LATENESS_S for at, slot in visits)


async def visited(interval: int) -> tuple[int, list[tuple[int, int]]]:
    """The ticker pages for some seconds; return the slots commanded, and visits with slots."""
    ticker, loop = TickerProcessor(lambda _: 0), asyncio.get_running_loop()
    ticker.begin(0)
    for url in PHASES.values():
        watch = Watch("w", interval, DEFAULT_VIEWS)
        ticker.decide(event(Cancelled("r", "s", "default", url, watch, START)))
    visits = []

    async def visit(due: Due) -> float:
        visits.append((round(loop.time() * 1000), due.slot - START))
        return 0.0

    queues = HostQueues(
        visit, len(PHASES), until_due=lambda due: (due.slot - START) / 1000 - loop.time()
    )
    parts, commanded = PartVisits(queues, lambda _: None), 0
    for second in range(SECONDS):
        await asyncio.sleep(second + LATENESS_S - loop.time())
        for part in ticker.tick(0, START + second * 1000).rest or ():
            for send in part.sends:
                assert isinstance(send.record, FetchDue)
                commanded += sum(len(parts.add(due)) for due in send.record.due)
    await asyncio.sleep(2)
    return commanded, visits
