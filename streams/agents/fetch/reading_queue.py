"""Choose the pages to read next: managers and hosts take turns, quick ones wait for no hard one.

Small pages that wait when a process becomes free go to it in one message: to wake up a process,
and the event loop for its answer, takes as long for eight as for one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, TypeVar

from schemas.records.urls import host
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.politeness.fair_share import FairScheduler, Ticket, Turn
from streams.agents.fetch.politeness.fair_slots import loop_time
from streams.agents.fetch.postponed import Postponed

T = TypeVar("T")
Call = tuple[Callable[..., Any], Sequence[Any]]
"""A function and its arguments."""
Called = tuple[Any, Exception | None, float]
"""The result of a call, or the error that it raised, and its CPU seconds."""
CallEach = Callable[[Sequence[Call]], Awaitable[Sequence[Called]]]
"""Makes calls in one free process; raises an error that is due to all of them together."""

QUICK_SHARE = 0.2
"""Share of the time allowed that quick work takes at most."""
FREE_PROCESS_TIMEOUT_S = 30.0
"""Seconds that a page waits for a process."""
MAX_WAITING, SMALL = 100_000_000, 100_000
"""Bytes of all quick pages, or all others, that wait at a time; a small one may always."""
GROUP_PAGES, GROUP_BYTES, GROUP_S = 8, 500_000, 0.1
"""Pages in one message, their bytes, and the CPU seconds that the last pages of their hosts took:
others wait that long for a process."""
_REMEMBERED = 100_000


@dataclass(eq=False, slots=True)
class _Page:
    """A page to read: it waits under a ticket until it has a turn, and then shares a message.

    ``expected_s`` are the CPU seconds of the last page of its host, infinite if it was not quick
    or the page is to be read by itself. ``reading`` is the task that reads its ``group``.
    """

    host: str
    managers: Sequence[str]
    size: int
    call: Call
    is_slow: bool
    expected_s: float
    outcome: "asyncio.Future[Called]"
    ticket: Ticket | None = None
    timer: asyncio.TimerHandle | None = None
    group: "Sequence[_Page]" = ()
    reading: "asyncio.Task[Sequence[Called]] | None" = None


class ReadingQueue:
    """Lets pages be read in a few processes.

    Pages of hosts with a quick last page share all of them in turns, all others one half.
    So pages which were made to be slow hold up each other, and one of somebody else for one
    turn; while they are known to be slow, they hold up none that is known to be quick.
    """

    def __init__(self, call_each: CallEach, processes: int, seconds: float) -> None:
        """``call_each`` works in one of so many processes, a page for so many seconds at most."""
        self._call_each = call_each
        self._seconds = seconds
        self._scheduler = FairScheduler(processes, max(1, processes // 2))
        self._waiting: dict[Ticket, _Page] = {}
        self._bytes = {True: 0, False: 0}
        """Of the pages that wait: of those that are not known to be quick, and of the others."""
        self._quick: OrderedDict[str, float] = OrderedDict()
        """The CPU seconds of the last page of each host, if that was quick."""
        self._is_scheduled = False
        """Whether the pages that wait are begun in the next turn of the loop."""

    async def read(
        self, due: DueView, size: int, function: Callable[..., T], *arguments: object
    ) -> T:
        """Call in a process a function that can be pickled, and return its result.

        ``size`` is about that of the arguments in bytes. Raises what the function and the
        call raise, and Postponed if no process became free in time.
        """
        name, loop = host(due.url), asyncio.get_running_loop()
        # A host may have been quick only to be let in before others: it has turns, too.
        is_slow = name not in self._quick
        if size > SMALL and self._bytes[is_slow] + size > MAX_WAITING:
            raise Postponed("other large pages wait to be read")
        call, expected_s = (function, arguments), self._quick.get(name, inf)
        page = _Page(name, due.managers, size, call, is_slow, expected_s, loop.create_future())
        self._put(page)
        if size > GROUP_BYTES:
            self._begin()
        elif not self._is_scheduled:
            self._is_scheduled = True
            loop.call_soon(self._begin)  # by then all wait that come in this turn of the loop
        try:
            result, error, _ = await page.outcome
        except asyncio.CancelledError:
            self._abandon(page)
            raise
        if error is not None:
            raise error
        done: T = result
        return done

    def _put(self, page: _Page) -> None:
        ticket = self._scheduler.put(page.host, page.managers, is_slow=page.is_slow)
        page.ticket, self._waiting[ticket] = ticket, page
        self._bytes[page.is_slow] += page.size
        loop = asyncio.get_running_loop()
        page.timer = loop.call_later(FREE_PROCESS_TIMEOUT_S, self._postpone, page)

    def _drop(self, page: _Page) -> None:
        """Let a page wait no longer."""
        assert page.ticket is not None, "it waits"
        assert page.timer is not None, "it waits"
        self._scheduler.drop(page.ticket)
        page.timer.cancel()
        del self._waiting[page.ticket]
        self._bytes[page.is_slow] -= page.size

    def _postpone(self, page: _Page) -> None:
        self._drop(page)
        reason = f"no process was free to read it in {FREE_PROCESS_TIMEOUT_S:g} s"
        others = self._scheduler.waiting(is_slow=page.is_slow)
        error = Postponed(f"{reason}; {others} other pages wait (VOKTER_PARSERS)")
        page.outcome.set_result((None, error, 0.0))

    def _abandon(self, page: _Page) -> None:
        """Read a page for nobody: not at all, unless others are read together with it."""
        if page.ticket in self._waiting:
            self._drop(page)
        elif page.reading is not None and all(each.outcome.done() for each in page.group):
            page.reading.cancel()

    def _begin(self) -> None:
        """Let each free process read what waits."""
        self._is_scheduled = False
        while turns := self._next_turns():
            group = [self._waiting[turn.key] for turn in turns]
            reading = asyncio.create_task(self._read(group))
            # It may be cancelled before it has begun.
            reading.add_done_callback(partial(self._end, turns, loop_time()))
            for page in group:
                self._drop(page)
                page.group, page.reading = group, reading

    def _next_turns(self) -> list[Turn[Ticket]]:
        """Take the next turn for which there is a process, and those that share its message."""
        most = min(GROUP_PAGES, self._scheduler.share())
        turns: list[Turn[Ticket]] = []
        size, expected_s = 0, 0.0

        def is_fit(ticket: Ticket) -> bool:
            page = self._waiting[ticket]
            return size + page.size <= GROUP_BYTES and expected_s + page.expected_s <= GROUP_S

        turn = self._scheduler.take()
        while turn is not None:
            turns.append(turn)
            page = self._waiting[turn.key]
            size, expected_s = size + page.size, expected_s + page.expected_s
            turn = self._scheduler.take_along(is_fit) if len(turns) < most else None
        return turns

    async def _read(self, group: Sequence[_Page]) -> Sequence[Called]:
        """Read pages in one message; returns what became of each, nothing after an error."""
        for page in group:
            # It has to be quick again to count as quick: an error or a kill leaves it out.
            self._quick.pop(page.host, None)
        try:
            called = await self._call_each([page.call for page in group])
        except Exception as error:  # noqa: BLE001 - it is raised where the page is awaited
            self._handle_error(group, error)
            return ()
        for page, outcome in zip(group, called, strict=True):
            self._settle(page, outcome)
        return called

    def _end(
        self, turns: Sequence[Turn[Ticket]], begun: float, reading: "asyncio.Task[Sequence[Called]]"
    ) -> None:
        """Free a process; each turn is charged the seconds of its page, or its share of all."""
        called = () if reading.cancelled() else reading.result()
        share_s = (loop_time() - begun) / len(turns)
        took = [seconds for *_, seconds in called] or [share_s] * len(turns)
        self._scheduler.end(turns[0], took[0])
        for turn, seconds in zip(turns[1:], took[1:], strict=True):
            self._scheduler.charge(turn, seconds)
        self._begin()

    def _handle_error(self, group: Sequence[_Page], error: Exception) -> None:
        """Let each page of a group be read by itself: the error may be due to any of them."""
        for page in group:
            if page.outcome.done():
                continue
            if len(group) == 1:
                page.outcome.set_result((None, error, 0.0))
            else:
                page.expected_s = inf
                self._put(page)

    def _settle(self, page: _Page, outcome: Called) -> None:
        _, error, seconds = outcome
        if error is None and seconds <= QUICK_SHARE * self._seconds:
            self._quick[page.host] = seconds
            if len(self._quick) > _REMEMBERED:
                self._quick.popitem(last=False)
        if not page.outcome.done():
            page.outcome.set_result(outcome)
