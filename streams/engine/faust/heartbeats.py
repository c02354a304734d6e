"""Send the heartbeats of all agents of a process together, and watch which are answered."""

import asyncio
from collections.abc import Callable

import structlog
from aiokafka import AIOKafkaConsumer

from streams.engine.acks.producer import disconnect
from streams.engine.life.loop_watch import until_beat
from streams.engine.life.membership import Membership

log = structlog.get_logger()

INTERVAL_S = 2.0
ANSWER_TIMEOUT_S = 5.0
"""aiokafka waits for 90 s, in which the session ends although another connection may work."""


class Heartbeats:
    """Makes the heartbeats of a consumer known to its membership, and sends them on the beat.

    Consumers of aiokafka send them at different moments, which wakes up process and broker once
    for each.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        membership: Membership,
        on_silence: Callable[[], None],
        beat_s: float,
    ) -> None:
        """``consumer`` is started; ``on_silence`` is called when a heartbeat is not answered.

        Heartbeats are sent ``beat_s`` after each multiple of INTERVAL_S.
        """
        self._consumer = consumer
        self._membership = membership
        self._on_silence = on_silence
        self._beat_s = beat_s
        coordinator = consumer._coordinator
        self._beat = coordinator._do_heartbeat
        self._is_answered = True
        coordinator._do_heartbeat = self.next_beat
        # It does not wait between two of them; ``next_beat`` does.
        coordinator._heartbeat_interval_ms = 0

    async def next_beat(self) -> bool:
        """Send the next heartbeat in time, or at once if the last one was not answered."""
        if self._is_answered:
            await asyncio.sleep(until_beat(INTERVAL_S, after=self._beat_s))
        self._is_answered = await self.beat()
        return self._is_answered

    async def beat(self) -> bool:
        """Send a heartbeat; whether this worker is still a member."""
        # The broker counts the session from when it has got the heartbeat, which is later.
        asked_at = self._membership.now()
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                is_member = bool(await self._beat())
        except TimeoutError:
            log.warning("the coordinator of the group does not answer", seconds=ANSWER_TIMEOUT_S)
            # All of them: where a machine is gone, each connection to it hangs as long.
            disconnect(self._consumer._client)
            self._consumer._coordinator.coordinator_dead()
            self._on_silence()
            return False
        if is_member:
            self._membership.heard(asked_at)
        return is_member
