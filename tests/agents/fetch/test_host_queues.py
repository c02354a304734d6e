"""Queues of work: one visit per host at a time, many hosts at once."""

import asyncio
import gc
from collections import Counter
from itertools import pairwise
from math import inf
from unittest.mock import Mock

import pytest
from structlog.testing import capture_logs

from streams.agents.fetch.host_queues import AWAITED, HostQueues
from streams.agents.fetch.postponed import Postponed
from tests.harness.virtual_time import in_virtual_time
from tests.harness.waiting import TIMEOUT_S

NOT_LONG = 0.01


class Site:
    """Visits that wait for the gate of their host; each piece of work is 'host/url/number'."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.at_work: Counter[str] = Counter()
        self.most_at_one_host = 0
        self.most_at_once = 0
        self.error: Exception | None = None

    async def visit(self, work: str) -> float:
        host = work.split("/", maxsplit=1)[0]
        self.begun.append(work)
        self.at_work[host] += 1
        self.most_at_one_host = max(self.most_at_one_host, self.at_work[host])
        self.most_at_once = max(self.most_at_once, self.at_work.total())
        await asyncio.sleep(0)
        await self.gates.get(host, _OPEN).wait()
        self.at_work[host] -= 1
        if self.error is not None:
            raise self.error
        self.ended.append(work)
        return 0.0


_OPEN = asyncio.Event()
_OPEN.set()


def anything(_: str) -> bool:
    return True


def add(hosts: HostQueues[str], *works: str) -> list[object]:
    return [hosts.add(work.split("/")[0], work.rpartition("/")[0], work) for work in works]


async def wait(hosts: HostQueues[str], visits: list[object], timeout_s: float = TIMEOUT_S) -> None:
    await hosts.wait(visits, timeout_s)  # type: ignore[arg-type]  # what add gave


async def test_visits_of_one_host_never_overlap_and_keep_their_order() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    works = [f"{host}/{number}/0" for number in range(5) for host in ("a", "b")]
    await wait(hosts, add(hosts, *works))
    assert site.most_at_one_host == 1
    assert site.most_at_once == 2
    for host in ("a", "b"):
        assert [work for work in site.ended if work[0] == host] == [
            f"{host}/{number}/0" for number in range(5)
        ]


async def test_only_so_many_hosts_are_visited_at_once() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 3)
    await wait(hosts, add(hosts, *[f"h{number}/x/0" for number in range(10)]))
    assert len(site.ended) == 10
    assert site.most_at_once == 3


async def test_a_url_that_waits_keeps_only_its_newest_work() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.gates["a"] = asyncio.Event()
    first = add(hosts, "a/x/0")
    await asyncio.sleep(0)
    replaced = [hosts.add("a", "a/y", f"a/y/{number}") for number in (1, 2)]
    newest = add(hosts, "a/y/3")
    assert all(visit.done.done() for visit in replaced)
    assert site.begun == ["a/x/0"]
    site.gates["a"].set()
    await wait(hosts, [*first, *newest])
    assert site.ended == ["a/x/0", "a/y/3"]


async def test_work_that_is_not_due_yet_waits_and_holds_up_no_other_host() -> None:
    site = Site()
    hosts = HostQueues(
        site.visit, 1, until_due=lambda work: NOT_LONG if work.startswith("a") else 0
    )
    await wait(hosts, add(hosts, "a/x/0", "b/x/0", "a/y/0"))
    assert site.ended == ["b/x/0", "a/x/0", "a/y/0"]


async def test_after_the_timeout_what_has_not_started_stays_in_its_queue() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.gates["a"] = asyncio.Event()
    first = add(hosts, "a/x/0")
    waiting = add(hosts, "a/y/0", "b/z/0")
    await wait(hosts, waiting, NOT_LONG)
    assert site.ended == ["b/z/0"]
    site.gates["a"].set()
    await wait(hosts, [*first, *waiting])
    assert site.ended == ["b/z/0", "a/x/0", "a/y/0"]


async def test_of_a_busy_host_only_so_many_visits_are_waited_for() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.gates["a"] = asyncio.Event()
    waiting = [asyncio.create_task(wait(hosts, add(hosts, f"a/{n}/0"))) for n in range(AWAITED)]
    await asyncio.sleep(0)
    await wait(hosts, add(hosts, "a/late/0"))  # at once
    others = [asyncio.create_task(wait(hosts, add(hosts, f"b/{n}/0"))) for n in range(20)]
    await asyncio.gather(*others)
    assert [work for work in site.ended if work[0] == "b"] == [f"b/{n}/0" for n in range(20)]
    site.gates["a"].set()
    await asyncio.gather(*waiting)
    await wait(hosts, add(hosts, "a/last/0"))
    assert "a/late/0" in site.ended, "it has kept its place"
    assert not hosts._awaited


async def test_what_has_started_is_waited_for_beyond_the_timeout() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.gates["a"] = asyncio.Event()
    visits = add(hosts, "a/x/0")
    waiter = asyncio.create_task(wait(hosts, visits, NOT_LONG))
    await asyncio.sleep(5 * NOT_LONG)
    assert not waiter.done()
    site.gates["a"].set()
    await waiter
    assert site.ended == ["a/x/0"]


async def test_an_error_reaches_the_waiting_caller_and_the_queue_goes_on() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.error = OSError("the store is away")
    with pytest.raises(OSError, match="the store is away"):
        await wait(hosts, add(hosts, "a/x/0"))
    site.error = None
    await wait(hosts, add(hosts, "a/x/1"))
    assert site.ended == ["a/x/1"]


async def test_only_the_first_of_several_errors_reaches_the_caller_and_none_is_forgotten() -> None:
    forgotten = list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: forgotten.append(context))
    site = Site()
    hosts = HostQueues(site.visit, 100)
    site.error = OSError("the store is away")
    with pytest.raises(OSError, match="the store is away"):
        await wait(hosts, add(hosts, "a/x/0", "b/x/0", "c/x/0"))
    gc.collect()
    assert forgotten == []


def test_a_host_is_visited_again_after_an_error_of_its_queue() -> None:
    pauses = Mock(side_effect=[ValueError("no pace"), 0.0, 0.0])

    async def visited() -> list[str]:
        site = Site()
        hosts = HostQueues(site.visit, 100, pauses)
        await wait(hosts, add(hosts, "a/x/0", "a/y/0"))
        return site.ended

    with capture_logs() as logs:
        assert in_virtual_time(visited()) == ["a/x/0", "a/y/0"]
    assert [line["host"] for line in logs] == ["a"]


async def test_an_error_of_what_nobody_waits_for_is_logged_and_counted() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    gate = site.gates["a"] = asyncio.Event()
    first = add(hosts, "a/x/0")
    late = [hosts.add("a", f"a/{url}", f"a/{url}/0") for url in "yz"]
    await hosts.wait(late, NOT_LONG)
    site.error = OSError("the store is away")
    with capture_logs() as logs:
        gate.set()
        with pytest.raises(OSError, match="the store is away"):
            await wait(hosts, first)
        await asyncio.wait([visit.done for visit in late])
    assert [(line["work"], line["failed_so_far"]) for line in logs] == [("a/y/0", 1), ("a/z/0", 2)]
    hosts.clear()


async def test_what_is_dropped_waits_no_longer_and_only_its_own_visit_is_waited_for() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 1)
    gate = site.gates["a"] = asyncio.Event()
    add(hosts, "a/x/0")
    await asyncio.sleep(0)
    waiting = add(hosts, "a/y/0", "a/z/0", "b/x/0")
    for host, page in (("a", "a/z"), ("b", "b/x"), ("c", "c/x")):
        await hosts.drop(host, [page], anything)
    dropping = asyncio.create_task(hosts.drop("a", ["a/x"], anything))
    await asyncio.sleep(0)
    assert not dropping.done()
    gate.set()
    await dropping
    await wait(hosts, waiting)
    assert site.ended == ["a/x/0", "a/y/0"]


async def test_a_dropped_page_is_not_visited_again_after_its_visit_was_put_off() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 1)
    gate = site.gates["a"] = asyncio.Event()
    add(hosts, "a/x/0")
    await asyncio.sleep(0)
    site.error = Postponed("not now")
    dropping = asyncio.create_task(hosts.drop("a", ["a/x"], anything))
    await asyncio.sleep(0)
    gate.set()
    await dropping
    assert len(hosts) == 0
    hosts.clear()


async def test_clearing_stops_what_is_at_work_and_forgets_what_waits() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 100)
    gate = site.gates["a"] = asyncio.Event()
    add(hosts, "a/x/0", "a/y/0")
    await asyncio.sleep(0)
    hosts.clear()
    gate.set()
    del site.gates["a"]
    await wait(hosts, add(hosts, "a/z/0"))
    assert site.begun == ["a/x/0", "a/z/0"]
    assert site.ended == ["a/z/0"]


async def test_nothing_to_wait_for_is_no_wait() -> None:
    await wait(HostQueues(Site().visit, 1), [])


def test_a_page_keeps_its_turn_however_often_it_falls_due_again() -> None:
    seen: list[str] = []

    async def visit(work: str) -> float:
        seen.append(work)
        return 0.0

    async def run() -> None:
        hosts = HostQueues(visit, 10, lambda _: 1.0)
        for second in range(240):
            for number in range(80):
                if second % 60 == number % 60:
                    hosts.add("h", f"other {number}", f"other {number}")
            if second % 10 == 0:
                hosts.add("h", "frequent", "frequent")
            await asyncio.sleep(1)
        hosts.clear()

    in_virtual_time(run())
    assert seen.count("frequent") >= 3, "as often as any other page"
    assert len(seen) >= 239


def test_a_page_that_hangs_leaves_its_host_to_the_others_longer_each_time() -> None:
    begun: dict[str, list[float]] = {"hangs": [], "quick": []}

    async def visit(work: str) -> float:
        begun[work].append(asyncio.get_running_loop().time())
        seconds = 30.0 if work == "hangs" else 0.0
        await asyncio.sleep(seconds)
        return seconds

    async def run() -> None:
        hosts = HostQueues(visit, 10, lambda _: 1.0)
        for _ in range(360):
            for work in begun:
                hosts.add("h", work, work)
            await asyncio.sleep(10)
        hosts.clear()

    in_virtual_time(run())
    gaps = [after - before for before, after in pairwise(begun["hangs"])]
    assert gaps == sorted(gaps)
    assert len(begun["hangs"]) <= 12
    assert len(begun["quick"]) >= 300, "a slot is missed only while the other page hangs"


def test_a_visit_that_is_put_off_is_repeated_later_and_delays_no_other() -> None:
    begun: list[tuple[str, float]] = []
    is_down = True

    async def visit(work: str) -> float:
        begun.append((work, asyncio.get_running_loop().time()))
        if is_down and work == "x":
            raise Postponed("the uplink is down")
        return 0.0

    async def run() -> None:
        nonlocal is_down
        hosts = HostQueues(visit, 10)
        await hosts.wait([hosts.add("h", url, url) for url in "xy"], 10.0)
        await asyncio.sleep(100)
        is_down = False
        await asyncio.sleep(100)
        assert len(hosts) == 0

    in_virtual_time(run())
    assert [(work, round(at)) for work, at in begun] == [
        ("x", 0), ("y", 0), ("x", 5), ("x", 15), ("x", 35), ("x", 75), ("x", 155)
    ]  # fmt: skip


def test_a_late_visit_that_failed_is_repeated_before_its_next_slot() -> None:
    begun: list[float] = []

    async def visit(work: str) -> float:
        if work == "long":
            await asyncio.sleep(20)
            return 0.0
        begun.append(asyncio.get_running_loop().time())
        if len(begun) == 1:
            raise OSError("the broker is away")
        return 0.0

    async def run() -> None:
        hosts = HostQueues(visit, 10)
        hosts.add("h", "a", "long")
        (late,) = await hosts.wait([hosts.add("h", "b", "late")], 10.0)
        assert late.abandoned
        await asyncio.sleep(60)
        assert len(hosts) == 0

    in_virtual_time(run())
    assert begun == [20.0, 25.0]


def test_what_is_put_off_gives_way_to_newer_work_on_its_page() -> None:
    seen: list[str] = []

    async def run() -> None:
        async def visit(work: str) -> float:
            seen.append(work)
            if work == "old":
                hosts.add("h", "x", "new")
                raise Postponed("busy")
            return 0.0

        hosts = HostQueues(visit, 10)
        await hosts.wait([hosts.add("h", "x", "old")], 10.0)
        await asyncio.sleep(1000)

    in_virtual_time(run())
    assert seen == ["old", "new"]


def test_a_manager_with_many_hanging_hosts_leaves_slots_to_others() -> None:
    begun: dict[str, float] = {}

    async def visit(work: str) -> float:
        begun[work] = asyncio.get_running_loop().time()
        await asyncio.sleep(0 if work == "mine" else 30)
        return 0.0

    async def run() -> None:
        hosts = HostQueues(visit, 2)
        for number in range(60):
            hosts.add(f"h{number}", "/", f"theirs {number}", ["they"])
        await asyncio.sleep(1)
        await hosts.wait([hosts.add("mine", "/", "mine", ["me"])], None)
        hosts.clear()

    in_virtual_time(run())
    assert begun["mine"] == 30.0, "the first slot that became free"


async def test_a_host_that_is_left_alone_for_a_while_holds_up_no_other() -> None:
    site = Site()
    hosts = HostQueues(site.visit, 1, lambda host: 3600.0 if host == "slow" else 0.0)
    add(hosts, "slow/1/0", "slow/2/0")
    await wait(hosts, add(hosts, "quick/1/0", "quick/2/0"))
    assert site.begun == ["slow/1/0", "quick/1/0", "quick/2/0"]
    hosts.clear()


async def test_hosts_that_were_slow_share_a_few_slots_and_leave_the_rest_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = Site()
    hosts = HostQueues(site.visit, 10)
    monkeypatch.setattr("streams.agents.fetch.politeness.host_pages.SLOW_VISIT_S", 0.0)
    slow = [f"s{number}" for number in range(20)]
    await wait(hosts, add(hosts, *[f"{host}/x/0" for host in slow]))
    monkeypatch.setattr("streams.agents.fetch.politeness.host_pages.SLOW_VISIT_S", inf)
    site.gates = {host: asyncio.Event() for host in slow}
    again = add(hosts, *[f"{host}/x/1" for host in slow])
    await wait(hosts, add(hosts, *[f"q{number}/x/0" for number in range(20)]))
    assert len([work for work in site.begun if work.endswith("/1")]) == 1
    for gate in site.gates.values():
        gate.set()
    await wait(hosts, again)
    site.begun.clear()
    site.gates = {host: asyncio.Event() for host in slow}
    add(hosts, *[f"{host}/x/2" for host in slow])
    await asyncio.sleep(0)
    assert len(site.begun) == 10, "hosts that were quick again have slots like all others"
    hosts.clear()
