"""Let a client pause between two attempts to connect to a broker, as Java's does (KIP-144).

Each loop of aiokafka tries again after 0.1 s: with the broker away, a process of match made 12,000
attempts a minute. Seen on aiokafka 0.14.0.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class _Attempts:
    """The attempts of a client, one at a time, and the failed ones by broker."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    failed: dict[object, _Failed] = field(default_factory=dict)


class Reconnects:
    """The connections of all clients of a process."""

    def __init__(self, connect: Connected, clock: Callable[[], float] = monotonic) -> None:
        """``connect`` makes a connection of a client to a broker; None if it cannot."""
        self._connect = connect
        self._clock = clock
        self._attempts: WeakKeyDictionary[Any, _Attempts] = WeakKeyDictionary()

    async def connection(
        self, client: Any, node_id: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT
    ) -> AIOKafkaConnection | None:
        """Return the connection to a broker; None during a pause, or if there is none."""
        known: AIOKafkaConnection | None = client._conns.get((node_id, group))  # noqa: SLF001
        if known is not None and known.connected():
            return known
        attempts = self._attempts.setdefault(client, _Attempts())
        async with attempts.turn:  # those who wait for an attempt would each make one more
            last = attempts.failed.get(node_id)
            if last is not None and self._clock() < last.until:
                return None
            made = await self._connect(client, node_id, group=group)
            if made is not None:
                attempts.failed.pop(node_id, None)
            else:
                pause = FIRST_PAUSE_S if last is None else min(2 * last.pause, LONGEST_PAUSE_S)
                attempts.failed[node_id] = _Failed(pause, self._clock() + pause)
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
