"""How many pages a ``vokter reprocess`` has in hand."""

import asyncio

from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.views import WatchedView
from streams.app import HISTORY
from streams.cli.jobs.reprocessing import MAX_IN_HAND, PagesInHand


def command(number: int) -> Reprocess:
    return Reprocess("run", f"http://d.test/{number}", "", WatchedView())


def result(number: int, run: str = "run") -> Reprocessed:
    return Reprocessed(run, f"http://d.test/{number}", "", ())


async def test_another_page_is_commanded_once_there_is_the_first_result_of_one() -> None:
    in_hand = PagesInHand()
    for number in range(MAX_IN_HAND):
        await in_hand.begin(command(number))
    next_one = asyncio.create_task(in_hand.begin(command(MAX_IN_HAND)))
    await asyncio.sleep(0)
    assert not in_hand.end(result(0, "of somebody else"))
    await asyncio.sleep(0)
    assert not next_one.done()
    assert in_hand.end(result(0))
    await next_one
    assert not in_hand.end(result(0)), "one that was read twice"
    assert all(in_hand.end(result(1 + number)) for number in range(MAX_IN_HAND))
    assert not in_hand


def test_the_pages_of_a_command_leave_a_worker_capacity_for_backfills() -> None:
    assert HISTORY.max_in_flight > 2 * MAX_IN_HAND
