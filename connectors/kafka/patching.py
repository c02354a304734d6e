"""Patch aiokafka if its version fits the patches.

Agents refuse to start with another version. A program with the library may have any version:
without the patches, an unreadable batch holds up its partition, and waiting costs more CPU.
"""

from aiokafka import AIOKafkaConsumer, __version__

PATCHED_VERSION = "0.14.0"


def patch_consumers() -> None:
    """Let the consumers of this process read every batch."""
    if __version__ == PATCHED_VERSION:
        from connectors.kafka_patches.batches import read_every_batch  # noqa: PLC0415 - imports private parts

        read_every_batch()


def patch_started(consumer: AIOKafkaConsumer) -> None:
    """Let the fetches of a started consumer wait at the broker."""
    if __version__ == PATCHED_VERSION:
        from connectors.kafka_patches.long_fetches import LongFetches  # noqa: PLC0415 - imports private parts

        LongFetches(consumer)
