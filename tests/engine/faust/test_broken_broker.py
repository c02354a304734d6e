"""What ends because the broker is broken blames no event: the reader of messages, and the timer."""

import asyncio
from collections.abc import Iterable

import pytest
from aiokafka.errors import KafkaConnectionError
from faust.types import TP

from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.engine.timer import Timer, sending
from streams.values.outcome import Send
from tests.fakes.engine import INPUT, Agent, Engine, take, tick
from tests.fakes.parts import fake_consumer


class Ended(BaseException):
    """The process ends here."""


def end(reason: str, error: BaseException) -> None:
    raise Ended(reason)


async def gone() -> None:
    raise KafkaConnectionError


class Broken:
    """A producer without its broker."""

    async def publish(self, sends: Iterable[Send]) -> None:
        await gone()


async def busy(monkeypatch: pytest.MonkeyPatch) -> tuple[Engine, list[CommitMetadata]]:
    """An engine with an event in hand, and what is noted when it commits."""
    for module in ("acks.process_agents", "life.loop_watch"):
        monkeypatch.setattr(f"streams.engine.{module}.end_process", end)
    engine, agent, notes = Engine(), Agent(), list[CommitMetadata]()
    engine.use(PoolRunner(agent, *engine.parts, Throttle(1000)))
    await engine.begin()
    agent.gates[0] = asyncio.Event()
    await take(engine, 0)
    assert CommitMetadata.decoded(engine.acks.metadata(INPUT)).in_hand == (0,)

    def note() -> None:
        notes.append(CommitMetadata.decoded(engine.acks.metadata(INPUT)))

    engine.committing = note
    return engine, notes


async def test_a_broker_that_cannot_be_asked_about_a_gap_is_to_blame_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, notes = await busy(monkeypatch)
    engine.while_looking = gone

    consumer = fake_consumer(engine.flow, {TP(*INPUT): [tick(4)]})
    with pytest.raises(Ended, match=r"x\.in could not be read on"):
        await consumer._drain_some()
    assert notes == [CommitMetadata()]
    await engine.flow.close(0)


async def test_a_broker_that_takes_no_message_of_the_timer_is_to_blame_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, notes = await busy(monkeypatch)
    tick = sending(lambda partition, now: (), Broken().publish)
    with pytest.raises(Ended, match="the timer stopped"):
        await Timer(engine.acks, engine.process, tick, 0.001).run()
    assert notes == [CommitMetadata()]
    await engine.flow.close(0)
