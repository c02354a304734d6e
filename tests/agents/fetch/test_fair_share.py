"""The fair scheduler: nobody starves, slots are bounded, and slow ones take none of the others'."""

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.politeness.fair_share import (
    FairQueue,
    FairScheduler,
    FairShare,
    Ticket,
    Turn,
)
from streams.values.ranked_keys import RankedKeys

SLOTS, SLOW_SLOTS = 3, 1
MANAGERS = "mno"
HOSTS = [f"{manager}{number}" for manager in MANAGERS for number in range(3)]


def test_a_manager_is_forgotten_once_it_is_level_with_the_others() -> None:
    share = FairShare()
    share.charge("hung", 30.0)
    for number in range(100_000):
        who = share.next_of([f"a{number}", f"b{number}"])
        share.charge(who, 1.0)
        share.charge(share.next_of([f"b{number}"]), 1.0)
    assert len(share._used) <= 1_000


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.none() | st.integers(0, 9)), max_size=200))
def test_the_first_key_is_always_the_one_of_the_lowest_rank(
    steps: list[tuple[str, int | None]],
) -> None:
    keys, model = RankedKeys[str](), dict[str, int]()
    for key, rank in steps:
        if rank is None:
            keys.drop(key)
            model.pop(key, None)
        else:
            keys.put(key, (rank,))
            model[key] = rank
        lowest = min(((rank, key) for key, rank in model.items()), default=(0, None))
        assert (len(keys), keys.first()) == (len(model), lowest[1])
        assert len(keys._heap) <= 2 * len(model) + 65


def test_of_managers_whose_turns_take_no_time_none_has_two_in_a_row() -> None:
    queue = FairQueue[str]()
    for key in ("a1", "a2", "a3", "b1", "b2", "a4"):
        queue.put(key, [key[0]])
    served = []
    while (turn := queue.take()) is not None:
        served.append(turn.key)
        queue.charge(turn, 0.0)
    assert served == ["a1", "b1", "a2", "b2", "a3", "a4"]


@dataclass
class World:
    """Hosts that wait for slots, hold them for a while, and come again or are cancelled."""

    scheduler: FairScheduler = field(default_factory=lambda: FairScheduler(SLOTS, SLOW_SLOTS))
    waiting: dict[Ticket, str] = field(default_factory=dict)
    held: list[Turn[Ticket]] = field(default_factory=list)

    def put(self, host: str, *, is_slow: bool) -> None:
        self.waiting[self.scheduler.put(host, [host[0]], is_slow=is_slow)] = host

    def take(self) -> list[Turn[Ticket]]:
        turns = []
        while (turn := self.scheduler.take()) is not None:
            assert self.waiting.pop(turn.key) == turn.host
            assert turn.manager == turn.host[0]
            turns.append(turn)
        self.held += turns
        return turns

    def end(self, number: int, seconds: float) -> None:
        if self.held:
            self.scheduler.end(self.held.pop(number % len(self.held)), seconds)

    def drop(self, number: int) -> None:
        if self.waiting:
            ticket = list(self.waiting)[number % len(self.waiting)]
            self.scheduler.drop(ticket)
            del self.waiting[ticket]

    def count(self, *, is_slow: bool) -> tuple[int, int]:
        """How many hold a slot of a kind, and how many wait for one."""
        held = sum(turn.key.is_slow == is_slow for turn in self.held)
        return held, sum(ticket.is_slow == is_slow for ticket in self.waiting)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put slow", "end", "drop"]),
        st.integers(0, 8),
        st.floats(0.0, 60.0),
    ),
    max_size=100,
)


@given(STEPS)
def test_no_slot_is_exceeded_or_lost_and_none_is_free_while_somebody_waits_for_it(
    steps: list[tuple[str, int, float]],
) -> None:
    world = World()
    for what, number, seconds in steps:
        if what == "end":
            world.end(number, seconds)
        elif what == "drop":
            world.drop(number)
        else:
            world.put(HOSTS[number], is_slow=what == "put slow")
        world.take()
        for is_slow, slots in ((False, SLOTS), (True, SLOW_SLOTS)):
            held, waiting = world.count(is_slow=is_slow)
            assert world.scheduler.waiting(is_slow=is_slow) == waiting
            assert held <= slots
            assert held == slots or not waiting, "however many of the other kind there are"
    while world.held:
        world.end(0, 1.0)
        world.take()
    assert (world.waiting, world.scheduler._free) == ({}, [SLOTS, SLOW_SLOTS])


@given(STEPS, st.booleans())
def test_nobody_starves_whatever_others_do(
    steps: list[tuple[str, int, float]], is_slow: bool
) -> None:
    world = World()
    for number in range(SLOTS):
        world.put(HOSTS[number], is_slow=is_slow)
    world.take()
    world.put("z", is_slow=is_slow)
    # Others come again for each turn that ends, as hosts with ever more pages do.
    for _, number, seconds in [*steps, *[("end", 0, 1.0)] * 100]:
        world.put(HOSTS[number], is_slow=is_slow)
        if any(turn.host == "z" for turn in world.take()):
            return
        world.end(number, seconds)
    raise AssertionError("z has waited for 100 turns")


@given(st.lists(st.floats(0.1, 30.0), min_size=3, max_size=3))
def test_while_all_wait_managers_have_their_share_of_the_time_and_of_it_each_host_has_its_own(
    takes: list[float],
) -> None:
    queue, used = FairQueue[str](), Counter[str]()
    seconds = dict(zip(MANAGERS, takes, strict=True))
    for host in HOSTS:
        queue.put(host, [host[0]], host)
    for _ in range(600):
        turn = queue.take()
        assert turn is not None
        used[turn.host] += seconds[turn.manager]  # type: ignore[assignment]  # it takes any number
        queue.charge(turn, seconds[turn.manager])
        queue.put(turn.key, [turn.manager], turn.host)
    shares = [sum(used[host] for host in HOSTS if host[0] == manager) for manager in MANAGERS]
    assert max(shares) - min(shares) <= 2 * max(takes)
    for manager in MANAGERS:
        own = [used[host] for host in HOSTS if host[0] == manager]
        assert max(own) - min(own) <= 2 * seconds[manager]
