"""Consume a session's notifications with librdkafka.

python examples/consume_confluent.py SESSION

Reads VOKTER_KAFKA and VOKTER_TOPIC_PREFIX.
"""

import os
import sys
from contextlib import suppress

from confluent_kafka import Consumer, KafkaException

from vokter import matches_text
from vokter.topics import Notification, Undecodable, decode

KAFKA = os.environ.get("VOKTER_KAFKA", "127.0.0.1:9092")
PREFIX = os.environ.get("VOKTER_TOPIC_PREFIX", "vokter.")


def main(session: str) -> None:
    """Print notifications until Ctrl-C; the next start continues where this one stopped."""
    consumer = Consumer(
        {
            "bootstrap.servers": KAFKA,
            "group.id": f"confluent-{session}",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "max.partition.fetch.bytes": 16 * 1024 * 1024,
        }
    )
    consumer.subscribe([f"{PREFIX}notifications"])
    try:
        while True:
            message = consumer.poll(1.0)
            if message is None:
                continue
            if message.error():
                raise KafkaException(message.error())
            try:
                notification = decode(message.value(), Notification)
            except Undecodable as error:  # anybody with access to the topic can write anything
                print(f"skipped offset {message.offset()}: {error}", file=sys.stderr)
                continue
            if notification.receiver.session == session:
                print(notification.id, notification.url)
                print(matches_text(notification.diffs), flush=True)
            consumer.commit(message=message)
    finally:
        consumer.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(sys.argv[1])
