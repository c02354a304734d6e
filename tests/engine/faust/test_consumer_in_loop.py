"""Kafka is read in the event loop; what went wrong in Faust's thread goes wrong there."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator

import pytest
from aiokafka.errors import KafkaConnectionError

from infra.ports import any_free
from streams.engine.faust.consumer import ConsumerInLoop, PatchedConsumer
from tests.fakes.parts import fake_app


@pytest.fixture
async def consumer() -> AsyncIterator[ConsumerInLoop]:
    """A consumer while its broker is away."""
    app = fake_app("reading", f"kafka://127.0.0.1:{any_free()}")
    patched = app.consumer
    assert isinstance(patched, PatchedConsumer)
    assert isinstance(patched._thread, ConsumerInLoop)
    yield patched._thread
    await patched._thread.stop()
    del patched
    # Python before 3.11.8 cannot compile a module while such garbage is collected.
    gc.collect()


async def test_a_start_without_a_broker_says_so_and_leaves_other_tasks_alone(
    consumer: ConsumerInLoop,
) -> None:
    go_on = asyncio.Event()
    other = asyncio.create_task(go_on.wait())
    with pytest.raises(KafkaConnectionError):
        await consumer.start()
    await asyncio.wait([consumer._serving])
    go_on.set()
    assert await other


async def test_calls_are_made_here_and_give_and_raise_what_they_would(
    consumer: ConsumerInLoop,
) -> None:
    async def later() -> int:
        await asyncio.sleep(0)
        return threading.get_ident()

    async def wrong() -> None:
        raise KafkaConnectionError("away")

    assert await consumer.call_thread(threading.get_ident) == threading.get_ident()
    assert await consumer.call_thread(later) == threading.get_ident()
    with pytest.raises(KafkaConnectionError, match="away"):
        await consumer.call_thread(wrong)
