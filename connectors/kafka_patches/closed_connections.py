"""Let aiokafka take a closed connection for a broken connection.

aiokafka expects an OSError of a write to a closed transport, and uvloop raises a RuntimeError. The
error ended the process when a broker went away, and left the blame with the events in hand.
"""

from typing import Any

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError

_send = AIOKafkaConnection.send


def report_closed_connections() -> None:
    """Let all clients of this process connect again instead of failing."""
    AIOKafkaConnection.send = send


def send(connection: AIOKafkaConnection, request: Any, expect_response: bool = True) -> Any:
    """Send a request; raises KafkaConnectionError if the connection is closed already."""
    try:
        return _send(connection, request, expect_response)
    except RuntimeError as error:
        connection.close(reason=CloseReason.CONNECTION_BROKEN)
        where = f"{connection.host}:{connection.port}"
        raise KafkaConnectionError(f"Connection at {where} closed: {error}") from error
