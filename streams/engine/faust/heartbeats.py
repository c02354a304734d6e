"""Note which heartbeats of aiokafka the group's coordinator has answered."""

import asyncio

import structlog
from aiokafka import AIOKafkaConsumer
from aiokafka.client import ConnectionGroup

from streams.engine.life.membership import Membership

log = structlog.get_logger()

ANSWER_TIMEOUT_S = 5.0
"""aiokafka waits for 90 s, in which the session ends although another connection may work."""


class NotedHeartbeats:
    """Makes the heartbeats of a consumer known to its membership."""

    def __init__(self, consumer: AIOKafkaConsumer, membership: Membership) -> None:
        """``consumer`` is started."""
        self._consumer = consumer
        self._membership = membership
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
        coordinator = self._consumer._coordinator
        place = coordinator.coordinator_id, ConnectionGroup.COORDINATION
        connection = self._consumer._client._conns.get(place)
        if connection is not None:
            connection.close()
        coordinator.coordinator_dead()
