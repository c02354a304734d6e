"""Let a client pause between two updates of its metadata.

While a partition has no leader, or its topic is missing, aiokafka's fetcher asks for them again as
soon as they have come: 2,500 times a second, for half a core of each consumer. Seen on aiokafka
0.14.0.
"""

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic
from typing import Any

from aiokafka.client import AIOKafkaClient

PAUSE_S = 0.1
"""The pause of aiokafka before a retry of other requests."""


def pause_between_updates(
    client: AIOKafkaClient,
    clock: Callable[[], float] = monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Let an update begin PAUSE_S after the end of the last, or later; both in seconds."""
    # aiokafka has no public way to this.
    update = client._metadata_update  # noqa: SLF001
    ended = -inf

    async def updated(*args: Any) -> bool:
        nonlocal ended
        left = ended + PAUSE_S - clock()
        if left > 0:
            await sleep(left)
        try:
            return bool(await update(*args))
        finally:
            ended = clock()

    client._metadata_update = updated  # noqa: SLF001
