"""Work in the background of an agent never ends unseen."""

import asyncio

import pytest

from streams.engine.life import loop_watch
from streams.engine.life.loop_watch import running


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, BaseException]]:
    """The reasons for which the process would have ended."""
    reasons = list[tuple[str, BaseException]]()
    monkeypatch.setattr(loop_watch, "end_process", lambda *reason: reasons.append(reason))
    return reasons


async def test_an_error_of_it_ends_the_process(ended: list[tuple[str, BaseException]]) -> None:
    failed = asyncio.Event()

    async def fails() -> None:
        failed.set()
        raise LookupError("no more")

    async def work_beside_it() -> None:
        async with running(fails()):
            await failed.wait()
            await asyncio.sleep(0)

    with pytest.raises(LookupError):
        await work_beside_it()
    assert [str(error) for _, error in ended] == ["no more"]


async def test_its_end_with_the_agent_is_none_of_the_process(
    ended: list[tuple[str, BaseException]],
) -> None:
    begun = asyncio.Event()

    async def goes_on() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with running(goes_on()):
        await begun.wait()
    assert not ended
