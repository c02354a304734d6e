"""Note which heartbeats of aiokafka the group's coordinator has answered."""

import asyncio
from collections.abc import Callable

import structlog
from aiokafka import AIOKafkaConsumer

from streams.engine.acks.producer import disconnect
from streams.engine.life.membership import Membership

log = structlog.get_logger()

ANSWER_TIMEOUT_S = 5.0
"""aiokafka waits for 90 s, in which the session ends although another connection may work."""


class NotedHeartbeats:
    """Makes the heartbeats of a consumer known to its membership."""

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        membership: Membership,
        on_silence: Callable[[], None],
    ) -> None:
        """``consumer`` is started; ``on_silence`` is called when a heartbeat is not answered."""
        self._consumer = consumer
        self._membership = membership
        self._on_silence = on_silence
        self._beat = consumer._coordinator._do_heartbeat
        consumer._coordinator._do_heartbeat = self.beat

    async def beat(self) -> bool:
        """Send a heartbeat; whether this worker is still a member."""
        # The broker counts the session from when it has got the heartbeat, which is later.
        asked_at = self._membership.now()
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                is_member = bool(await self._beat())
        except TimeoutError:
            log.warning("the coordinator of the group does not answer", seconds=ANSWER_TIMEOUT_S)
            self._disconnect()
            return False
        if is_member:
            self._membership.heard(asked_at)
        return is_member

    def _disconnect(self) -> None:
        # All of them: where a machine is gone, each connection to it hangs as long.
        disconnect(self._consumer._client)
        self._consumer._coordinator.coordinator_dead()
        self._on_silence()
