"""Clients of a broker that does not answer."""

import gc
import socket

import pytest
from aiokafka.errors import KafkaConnectionError

from connectors.kafka.access import Access
from connectors.kafka.requests import RequestSender
from connectors.kafka.writing import large_message_producer


async def test_what_cannot_connect_is_closed_without_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, but it does not listen
        access = Access(f"127.0.0.1:{nobody.getsockname()[1]}")
        for connection in (
            RequestSender(access, "requests", "facts"),
            large_message_producer(access),
        ):
            with pytest.raises(KafkaConnectionError):
                async with connection:
                    pass
    del connection
    gc.collect()
    assert "Unclosed" not in caplog.text
