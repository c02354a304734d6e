"""What takes long shows that it goes on, on a terminal only."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from streams.cli import progress
from streams.cli.progress import counted, waited_for, waiting

Text = pytest.CaptureFixture[str]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich takes what is printed to for one."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")


async def numbers() -> AsyncIterator[int]:
    for number in range(3):
        yield number


@pytest.mark.usefixtures("terminal")
def test_a_bar_comes_after_two_seconds_and_says_how_much_is_done(capsys: Text) -> None:
    times = iter([0.0, 1.0, 5.0])
    with progress.progress("reading", 2, lambda: next(times)) as advance:
        advance(1)
        assert capsys.readouterr().err == ""
        advance(1)
        said = capsys.readouterr().err
    assert ("reading" in said, "2/2" in said) == (True, True)


def test_a_bar_is_no_matter_of_what_is_done_without_a_terminal(capsys: Text) -> None:
    times = iter([0.0, 1.0, 5.0])
    with progress.progress("reading", 2, lambda: next(times)) as advance:
        advance(1)
        advance(1)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("terminal")
async def test_a_wait_is_shown_once_it_takes_long(capsys: Text) -> None:
    async with waiting("for an answer"):
        await asyncio.sleep(0)
    assert capsys.readouterr().err == ""
    said = ""
    async with waiting("for an answer", 0):
        while "for an answer" not in said:
            await asyncio.sleep(0)
            said += capsys.readouterr().err


async def test_all_items_are_passed_on() -> None:
    assert [each async for each in counted(numbers(), "reading")] == [0, 1, 2]
    assert [each async for each in waited_for(numbers(), "looking")] == [0, 1, 2]
