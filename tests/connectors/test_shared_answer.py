"""One question at a time, and none while the last answer is fresh."""

import asyncio

import pytest

from connectors.single_flight import SharedAnswer
from tests.harness.waiting import until


class Asking:
    """Counts questions; each waits for its answer."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[asyncio.Future[int]] = []
        self.shared = SharedAnswer(self._ask, 5.0, lambda: self.now)

    async def _ask(self) -> int:
        self.asked.append(asyncio.get_running_loop().create_future())
        return await self.asked[-1]


async def test_all_who_ask_at_a_time_share_one_question_for_some_seconds() -> None:
    it = Asking()
    waiting = [asyncio.create_task(it.shared.get()) for _ in range(100)]
    await until(lambda: bool(it.asked), "a question")
    waiting[0].cancel()
    it.asked[0].set_result(1)
    assert await asyncio.gather(*waiting[1:]) == [1] * 99
    it.now = 4.9
    assert (await it.shared.get(), len(it.asked)) == (1, 1)
    it.now = 5.0
    again = asyncio.create_task(it.shared.get())
    await until(lambda: len(it.asked) == 2, "a second question")
    it.asked[1].set_result(2)
    assert await again == 2


async def test_an_error_reaches_all_who_wait_and_is_not_kept() -> None:
    it = Asking()
    waiting = [asyncio.create_task(it.shared.get()) for _ in range(2)]
    await until(lambda: bool(it.asked), "a question")
    it.asked[0].set_exception(OSError("away"))
    for each in waiting:
        with pytest.raises(OSError, match="away"):
            await each
    again = asyncio.create_task(it.shared.get())
    await until(lambda: len(it.asked) == 2, "a second question")
    it.asked[1].set_result(1)
    assert await again == 1


async def test_the_latest_answer_is_there_at_once_and_asked_again_when_old() -> None:
    it = Asking()
    assert (it.shared.latest(), it.shared.latest()) == (None, None)
    await until(lambda: bool(it.asked), "a question")
    it.asked[0].set_result(1)
    await until(lambda: it.shared.latest() == 1, "the answer")
    it.now = 60.0
    assert it.shared.latest() == 1
    await until(lambda: len(it.asked) == 2, "a second question")
    it.shared.drop()
    assert it.shared.latest() is None
    it.asked[1].set_result(2)
    await until(lambda: it.shared.latest() == 2, "the second answer")
