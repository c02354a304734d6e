"""Send commands to deliver, for whatever is not an agent."""

from aiokafka import AIOKafkaProducer

from connectors.registry.codec import Codec
from schemas.records.deliveries import Redeliver
from schemas.records.topics import ATTEMPTS


class RedeliverySender:
    """Publishes commands to deliver notifications again."""

    def __init__(self, producer: AIOKafkaProducer, codec: Codec, prefix: str) -> None:
        """Send with a started producer to the topic ``attempts`` with this ``prefix``."""
        self._producer = producer
        self._codec = codec
        self._topic = prefix + ATTEMPTS.name

    async def send(self, command: Redeliver) -> None:
        """Publish a command, in the order of its receiver's others; raises KafkaError."""
        client_url = command.notification.receiver.client_url or ""
        value = self._codec.encode(ATTEMPTS.name, command)
        await self._producer.send_and_wait(self._topic, value, key=client_url.encode())
