"""A connection that was closed is a broken one for aiokafka, also with uvloop."""

import asyncio

import pytest
import uvloop
from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.admin import ApiVersionRequest

from connectors.kafka_patches.closed_connections import report_closed_connections
from infra.ports import any_free


async def write_to_a_closed_connection() -> None:
    port = any_free()
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", port):
        connection = AIOKafkaConnection("127.0.0.1", port)
        _, connection._writer = await asyncio.open_connection("127.0.0.1", port)
        connection._writer.transport.abort()
        await asyncio.sleep(0.01)
        with pytest.raises(KafkaConnectionError, match="closed"):
            connection.send(ApiVersionRequest())
        assert not connection.connected()


def test_a_request_on_a_closed_connection_is_an_error_of_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AIOKafkaConnection, "send", AIOKafkaConnection.send)
    report_closed_connections()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(write_to_a_closed_connection())
