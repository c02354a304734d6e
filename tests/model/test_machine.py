"""All agents together, under random crashes and replays, against a model of the promise."""

import asyncio
from collections.abc import Coroutine, Iterator
from importlib import import_module
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests.harness.examples import NEW
from tests.model.deployment import ADJUSTING, CLIENTS, ON_THE_WAY, URLS, Adjust, Deployment
from tests.model.world import WORDS

EXAMPLES = 1000 if NEW else 15
"""Few where they are the same each time: only new ones find more."""
STEPS = 30

urls = st.sampled_from(URLS)
clients = st.sampled_from(CLIENTS)
agents = st.sampled_from(ON_THE_WAY)
small = st.integers(0, 3)
words = st.frozensets(st.sampled_from(WORDS))
changes = st.dictionaries(urls, words, min_size=1)
names = st.sampled_from(["", "", "price"])
right_or_not = st.sampled_from([None, None, 0, 1])
"""Partition of a request; None for that of its document."""
wishes = st.fixed_dictionaries(
    {
        "url": urls,
        "client": clients,
        "partition": right_or_not,
        "keywords": st.sampled_from([("*",), ("alpha",), ("beta", "gamma"), ("alpha", "*")]),
        "interval": st.integers(1, 2),
        "ignore_removed": st.booleans(),
        "replace": st.booleans(),
        "name": names,
    }
)

targets = st.tuples(urls, clients, right_or_not, names)


class Machine(RuleBasedStateMachine):
    """People, documents, receivers, time and accidents."""

    loop: asyncio.AbstractEventLoop
    is_whole = False
    """Nothing was found to be wrong so far."""

    @initialize(first=st.lists(wishes, min_size=2, max_size=6), at_rest=st.booleans())
    def begin(self, first: list[dict[str, Any]], at_rest: bool) -> None:
        self.all = Deployment()
        self._run(self.all.start())
        for wish in first:
            self.all.subscribe(**wish)
        if at_rest:
            self.settle()

    @rule(wish=wishes)
    def subscribe(self, wish: dict[str, Any]) -> None:
        self.all.subscribe(**wish)

    @rule(at=targets, undo=st.booleans())
    def cancel(self, at: tuple[str, str, int | None, str], undo: bool) -> None:
        self.all.cancel(*at, undo=undo)

    @rule(at=targets, kind=st.sampled_from(ADJUSTING))
    def adjust(self, at: tuple[str, str, int | None, str], kind: Adjust) -> None:
        self.all.adjust(kind, *at)

    @rule(at=targets, new=names)
    def rename(self, at: tuple[str, str, int | None, str], new: str) -> None:
        self.all.rename(*at, new)

    @rule(back=small)
    def repeat_a_request(self, back: int) -> None:
        self.all.repeat(back)

    @rule(changes=changes, seconds=st.integers(0, 3))
    def change(self, changes: dict[str, frozenset[str]], seconds: int) -> None:
        for url, said in changes.items():
            self.all.web.change(url, said)
        self.all.tick(seconds)

    @rule(changes=changes, turn=small, count=st.integers(1, 8))
    def change_and_go_on(self, changes: dict[str, frozenset[str]], turn: int, count: int) -> None:
        self.change(changes, 2)
        self.go_on(turn, count, set())

    @rule(url=urls, fails=st.booleans(), seconds=st.integers(0, 3))
    def fail(self, url: str, fails: bool, seconds: int) -> None:
        self.all.web.documents[url].fails = fails
        self.all.tick(seconds)

    @rule(client=clients, answers=st.sampled_from(["gone", "back", "refuses", "refuses twice"]))
    def receive(self, client: str, answers: str) -> None:
        self.all.receivers.behave(client, answers)

    @rule(turn=small, count=st.integers(1, 8), others=st.sets(agents, max_size=2))
    def go_on(self, turn: int, count: int, others: set[str]) -> None:
        for agent in ON_THE_WAY:
            if agent not in others:
                self._run(self.all.work(agent, turn, count))

    @rule(agent=agents, turn=small, count=st.integers(1, 5))
    def work(self, agent: str, turn: int, count: int) -> None:
        self._run(self.all.work(agent, turn, count))

    @rule(fuses=st.dictionaries(agents, st.integers(0, 12), min_size=1), back=small)
    def crash_soon(self, fuses: dict[str, int], back: int) -> None:
        for agent, boundaries in fuses.items():
            self.all.light(agent, boundaries, back)

    @rule(wish=wishes, turn=small, boundaries=st.integers(1, 4))
    def change_after_an_answer(self, wish: dict[str, Any], turn: int, boundaries: int) -> None:
        """Let the register die after an answer, and a document change before it is back."""
        self.all.subscribe(**wish | {"partition": None})
        self.all.light("match", boundaries, 0)
        self.work("match", 0, 100)
        self.all.web.turn_over(wish["url"])
        self.all.tick(2)
        self.go_on(turn, 8, {"deliver"})

    @rule(agent=agents, back=st.integers(0, 8))
    def crash(self, agent: str, back: int) -> None:
        self._run(self.all.crash(agent, back))

    @rule(agent=agents)
    def move(self, agent: str) -> None:
        self._run(self.all.move(agent))

    @rule()
    def settle(self) -> None:
        self._run(self.all.settle())

    def teardown(self) -> None:
        if self.is_whole:
            self.settle()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self.is_whole = False
        self.loop.run_until_complete(work)
        self.is_whole = True


@pytest.fixture
def quiet() -> Iterator[None]:
    """Silence the agents: they log much, and nobody reads it."""
    known = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    yield
    structlog.configure(**known)


def test_whatever_happens_everybody_is_notified_of_everything_once(
    quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.agents.match.register.memory.INDEXED", 2)
    # A visit that has not begun by then would be left for its next slot.
    monkeypatch.setattr("streams.agents.fetch.agent.BUSY_HOST_TIMEOUT_S", 600)
    # Detecting a language takes longer than all the rest, and does not matter here.
    monkeypatch.setattr(
        import_module("streams.agents.fetch.examining"),
        "detect_language",
        lambda text, declared, earlier: "en",
    )
    with asyncio.Runner() as runner:
        Machine.loop = runner.get_loop()
        Machine.loop.set_exception_handler(lambda *_: None)
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
