"""Consume a session's notifications with aiokafka.

python examples/consume_aiokafka.py SESSION

Reads VOKTER_KAFKA and VOKTER_TOPIC_PREFIX.
"""

import asyncio
import os
import sys
from contextlib import suppress

from aiokafka import AIOKafkaConsumer

from vokter import matches_text
from vokter.topics import Notification, Undecodable, decode

KAFKA = os.environ.get("VOKTER_KAFKA", "127.0.0.1:9092")
PREFIX = os.environ.get("VOKTER_TOPIC_PREFIX", "vokter.")


async def main(session: str) -> None:
    """Print notifications until Ctrl-C; the next start continues where this one stopped."""
    consumer = AIOKafkaConsumer(
        f"{PREFIX}notifications",
        bootstrap_servers=KAFKA,
        group_id=f"aiokafka-{session}",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        max_partition_fetch_bytes=16 * 1024 * 1024,
    )
    async with consumer:
        async for message in consumer:
            try:
                notification = decode(message.value, Notification)
            except Undecodable as error:  # anybody with access to the topic can write anything
                print(f"skipped offset {message.offset}: {error}", file=sys.stderr)
                continue
            if notification.receiver.session == session:
                print(notification.id, notification.url)
                print(matches_text(notification.diffs), flush=True)
            await consumer.commit()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main(sys.argv[1]))
