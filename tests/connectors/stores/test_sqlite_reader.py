"""The thread that reads, and what becomes of its results."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from connectors.stores.sqlite.reader import Reader, hand_over
from tests.harness.waiting import TIMEOUT_S, until


class Page:
    """Something that can be watched for its end."""


@pytest.fixture
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


def blocking() -> tuple[Callable[[], None], Callable[[], None]]:
    """Return work that takes until the other is called."""
    go_on = threading.Event()
    return (lambda: None if go_on.wait(TIMEOUT_S) else pytest.fail("never released")), go_on.set


async def test_results_and_errors_come_back_to_who_asked(reader: Reader) -> None:
    def fail() -> None:
        raise LookupError("no such god")

    outcomes = await asyncio.gather(
        reader.compute(lambda: "Zeus"),
        reader.compute(fail),
        reader.compute(lambda: "Hera"),
        return_exceptions=True,
    )
    assert (outcomes[0], type(outcomes[1]), outcomes[2]) == ("Zeus", LookupError, "Hera")


async def test_work_that_was_given_up_before_its_turn_is_not_begun(reader: Reader) -> None:
    work, release = blocking()
    first = asyncio.create_task(reader.compute(work))
    done: list[str] = []
    given_up = asyncio.create_task(reader.compute(lambda: done.append("Kronos")))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait([given_up])
    release()
    await first
    await reader.compute(lambda: done.append("Zeus"))
    assert done == ["Zeus"]


async def test_work_that_was_given_up_while_it_was_done_harms_no_other(reader: Reader) -> None:
    work, release = blocking()
    first = asyncio.create_task(reader.compute(work))
    await asyncio.sleep(0.01)
    first.cancel()
    release()
    assert await reader.compute(lambda: "Zeus") == "Zeus"
    assert first.cancelled()


async def test_what_waits_is_done_before_the_thread_ends() -> None:
    reader = Reader()
    tasks = [asyncio.create_task(reader.compute(lambda: "Zeus")) for _ in range(3)]
    await asyncio.sleep(0)
    reader.close()
    assert await asyncio.gather(*tasks) == ["Zeus"] * 3


async def test_work_for_a_closed_reader_fails_instead_of_waiting() -> None:
    reader = Reader()
    reader.close()
    with pytest.raises(RuntimeError, match="closed"):
        await asyncio.wait_for(reader.compute(lambda: "Zeus"), TIMEOUT_S)


async def test_the_last_result_is_not_held(reader: Reader) -> None:
    page = weakref.ref(await reader.compute(Page))

    def is_gone() -> bool:
        gc.collect()
        return page() is None

    await until(is_gone, "the result is gone", timeout_s=10)


def test_a_result_for_a_loop_that_is_closed_is_dropped() -> None:
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    loop.close()
    hand_over([(future, "Zeus")])
    assert not future.done()
