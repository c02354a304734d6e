"""Claims of things unique in a deployment, on all its machines: store and signing key."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from aiokafka import AIOKafkaProducer, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.reading import groupless_consumer, read_messages
from schemas.codec.wire import decode, encode
from schemas.records.claims import KeyClaimed, Partitioned, StoreClaimed

STORE, SIGNING_KEY = b"store", b"signing-key"

Claim = TypeVar("Claim", StoreClaimed, KeyClaimed)
T = TypeVar("T")


class StoreElsewhere(Exception):
    """The deployment uses another store; the text names the store, and the remedy."""


class AnotherKey(Exception):
    """The deployment signs with another key; the text names the remedy."""


async def claim_store(access: Access, topic: str, claim: StoreClaimed) -> None:
    """Note this store as the deployment's, or confirm an equal note.

    Raises StoreElsewhere if another store is noted, unless the claim replaces the note.
    """
    known = await _claimed(access, topic, STORE, claim, lambda each: each.store)
    if known.store != claim.store:
        raise StoreElsewhere(
            f"Refused: this deployment keeps its snapshots in {known.place}, "
            f"and not in {claim.place}. Workers on several machines need one shared store, "
            "named by VOKTER_STORE. If the store has moved here for good, and no worker uses "
            "the old one any more, run 'vokter store claim'."
        )


async def claimed_store(access: Access, topic: str) -> StoreClaimed | None:
    """Return the valid claim of a store: the first, or the last replacement."""
    return _valid(await read_claims(access, topic, STORE, StoreClaimed))


async def claim_key(access: Access, topic: str, claim: KeyClaimed) -> None:
    """Note this key as the deployment's, or confirm an equal note.

    Raises AnotherKey if another key is noted, unless the claim replaces the note.
    """
    known = await _claimed(access, topic, SIGNING_KEY, claim, lambda each: each.fingerprint)
    if known.fingerprint != claim.fingerprint:
        raise AnotherKey(
            f"Refused: this deployment signs webhooks with the key {known.fingerprint}, and the "
            f"one here is {claim.fingerprint}. Use one key everywhere: set VOKTER_SIGNING_KEY, or "
            "copy the file signing-key from the data folder where it was started first. To go "
            "over to the key that is here, which changes the secret of every webhook, run "
            "'vokter signing-key claim', and start the API and deliver again everywhere."
        )


async def claimed_key(access: Access, topic: str) -> KeyClaimed | None:
    """Return the valid claim of a key: the first, or the last replacement."""
    return _valid(await read_claims(access, topic, SIGNING_KEY, KeyClaimed))


async def _claimed(
    access: Access, topic: str, key: bytes, claim: Claim, value: Callable[[Claim], str]
) -> Claim:
    """Return the valid claim: the new claim if the first or a replacement."""
    known = _valid(await read_claims(access, topic, key, type(claim)))
    if known is None or (claim.replaces and value(known) != value(claim)):
        await publish_claim(access, topic, key, claim)
        # Two machines that begin at the same time both find none.
        known = _valid(await read_claims(access, topic, key, type(claim))) or claim
        if value(known) != value(claim):
            await publish_claim(access, topic, key, known)  # compaction keeps the last one
    return known


def _valid(claims: Iterable[Claim]) -> Claim | None:
    holds = None
    for claim in claims:
        if holds is None or claim.replaces:
            holds = claim
    return holds


async def publish_claim(
    access: Access, topic: str, key: bytes, claim: StoreClaimed | KeyClaimed | Partitioned
) -> None:
    """Write a claim, acknowledged by all replicas in sync; raises KafkaError."""
    async with AIOKafkaProducer(**access.producer()) as producer:
        await producer.send_and_wait(topic, encode(claim), key=key, partition=0)


async def read_claims(access: Access, topic: str, key: bytes, kind: type[T]) -> list[T]:
    """Read the claims of a kind on the topic, oldest first."""
    partition = TopicPartition(topic, 0)
    async with groupless_consumer(access) as consumer:
        consumer.assign([partition])
        end = (await consumer.end_offsets([partition]))[partition]
        messages = read_messages(consumer, {partition: (0, end)})
        return [decode(each.value, kind) async for each in messages if each.key == key]
