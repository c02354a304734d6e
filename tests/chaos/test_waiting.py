"""A run waits for record: what a rule suppresses is only in its listing."""

from collections.abc import Callable
from itertools import count

from tests.chaos.rules import Judged
from tests.chaos.run import QUIET, not_delivered
from tests.harness.hooks import Hook
from tests.harness.load import text
from tests.harness.pages import Page
from tests.harness.virtual_time import in_virtual_time


def judged() -> Judged:
    """Return a subscription with a rule that was notified of nothing; its page changed once."""
    page = Page("http://page.test/", text(1))
    page.upcoming.append(text(2))
    return Judged(page, Hook("http://hook.test/"), "*")


def lost(watcher: Judged, recorded: Callable[[int], int]) -> list[str]:
    """Return what counts as missing in the end, with this progress of record each second."""
    seconds = count()

    async def progress() -> int:
        return recorded(next(seconds))

    return in_virtual_time(not_delivered([watcher], progress))


def test_a_slow_record_is_waited_for() -> None:
    watcher, long = judged(), 3 * int(QUIET)

    def recorded(second: int) -> int:
        if second == long:
            watcher.suppressed.add(2)
        return second

    assert lost(watcher, recorded) == []


def test_once_record_stands_still_the_rest_is_missing() -> None:
    watcher = judged()
    (line,) = lost(watcher, lambda second: min(second, 5))
    assert line.endswith(": [2]")


def test_an_endless_record_is_not_waited_for_endlessly() -> None:
    assert lost(judged(), lambda second: second)
