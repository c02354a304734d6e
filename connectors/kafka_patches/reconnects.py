"""Let a client pause between two attempts to connect to a broker, as Java's does (KIP-144).

Each loop of aiokafka tries again after 0.1 s: with the broker away, a process of match made 12,000
attempts a minute. Seen on aiokafka 0.14.0.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from aiokafka.client import AIOKafkaClient, ConnectionGroup
from aiokafka.conn import AIOKafkaConnection

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0

Connected = Callable[..., Awaitable[AIOKafkaConnection | None]]


@dataclass(slots=True)
class _Failed:
    """The last attempt at a broker: the pause (s) after it, and its end by the clock."""

    pause: float
    until: float


class Reconnects:
    """The connections of all clients of a process."""

    def __init__(self, connect: Connected, clock: Callable[[], float] = monotonic) -> None:
        """``connect`` makes a connection of a client to a broker; None if it cannot."""
        self._connect = connect
        self._clock = clock
        self._failed: WeakKeyDictionary[Any, dict[object, _Failed]] = WeakKeyDictionary()
        self._turns: WeakKeyDictionary[Any, asyncio.Lock] = WeakKeyDictionary()

    async def connection(
        self, client: Any, node_id: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT
    ) -> AIOKafkaConnection | None:
        """Return the connection to a broker; None during a pause, or if there is none."""
        known: AIOKafkaConnection | None = client._conns.get((node_id, group))  # noqa: SLF001
        if known is not None and known.connected():
            return known
        # Those who wait for an attempt would each make one more.
        async with self._turns.setdefault(client, asyncio.Lock()):
            return await self._tried(client, node_id, group)

    async def _tried(
        self, client: Any, node_id: object, group: ConnectionGroup
    ) -> AIOKafkaConnection | None:
        failed = self._failed.setdefault(client, {})
        last = failed.get(node_id)
        if last is not None and self._clock() < last.until:
            return None
        made = await self._connect(client, node_id, group=group)
        if made is not None:
            failed.pop(node_id, None)
        else:
            pause = FIRST_PAUSE_S if last is None else min(2 * last.pause, LONGEST_PAUSE_S)
            failed[node_id] = _Failed(pause, self._clock() + pause)
        return made


def pause_between_connections() -> None:
    """Let all clients of this process pause between their attempts."""
    # aiokafka has no public way to this.
    reconnects = Reconnects(AIOKafkaClient._get_conn)  # noqa: SLF001

    async def connection(
        client: AIOKafkaClient, node_id: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT
    ) -> AIOKafkaConnection | None:
        return await reconnects.connection(client, node_id, group=group)

    AIOKafkaClient._get_conn = connection  # noqa: SLF001
