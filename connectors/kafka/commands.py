"""Send commands to agents, for any other part."""

from aiokafka import AIOKafkaProducer

from connectors.registry.codec import Codec
from schemas.records.deliveries import Redeliver
from schemas.records.judgements import SendSuppressed
from schemas.records.topics import ATTEMPTS, JUDGEMENTS, Topic


class CommandSender:
    """Publishes commands to repeat notifications, or to send suppressed notifications."""

    def __init__(self, producer: AIOKafkaProducer, codec: Codec, prefix: str) -> None:
        """Send with a started producer to topics with this ``prefix``."""
        self._producer = producer
        self._codec = codec
        self._prefix = prefix

    async def redeliver(self, command: Redeliver) -> None:
        """Publish a command, in the order of its receiver's others; raises KafkaError."""
        await self._publish(ATTEMPTS, command, command.notification.receiver.client_url or "")

    async def send_suppressed(self, command: SendSuppressed) -> None:
        """Publish a command; raises KafkaError."""
        page = command.notification.document or command.notification.url
        await self._publish(JUDGEMENTS, command, page)

    async def _publish(self, topic: Topic, command: Redeliver | SendSuppressed, key: str) -> None:
        value = self._codec.encode(topic.name, command)
        await self._producer.send_and_wait(self._prefix + topic.name, value, key=key.encode())
