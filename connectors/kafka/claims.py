"""One store for all workers of a deployment, on however many machines they are."""

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from connectors.kafka.access import Access
from schemas.facts import StoreClaimed
from schemas.wire import decode, encode

KEY = b"store"


class StoreElsewhere(Exception):
    """The deployment uses another store; the text says which, and what to do."""


async def claim_store(
    access: Access, topic: str, claim: StoreClaimed, replace: bool = False
) -> None:
    """Have a deployment use this store, or find that it does.

    Raises StoreElsewhere where it uses another one, unless that is replaced.
    """
    known = await _known(access, topic)
    if known is not None and known.store == claim.store:
        return
    if known is not None and not replace:
        raise StoreElsewhere(
            f"Refused: this deployment keeps its snapshots in {known.place}, "
            f"and not in {claim.place}. Workers on several machines need one shared store, "
            "named by VOKTER_STORE. If the store has moved here for good, and no worker uses "
            "the old one any more, run 'vokter store claim'."
        )
    producer = AIOKafkaProducer(**access.client())
    await producer.start()
    try:
        await producer.send_and_wait(topic, encode(claim), key=KEY, partition=0)
    finally:
        await producer.stop()


async def _known(access: Access, topic: str) -> StoreClaimed | None:
    """Read the claim that holds: the last on the topic."""
    place = TopicPartition(topic, 0)
    consumer = AIOKafkaConsumer(**access.client(), group_id=None, auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([place])
        end = (await consumer.end_offsets([place]))[place]
        found = None
        while await consumer.position(place) < end:
            message = await consumer.getone(place)
            found = decode(message.value, StoreClaimed)
        return found
    finally:
        await consumer.stop()
