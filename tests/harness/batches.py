"""Batches of messages as no client of ours writes them."""

import struct
from collections.abc import Sequence
from time import time

from aiokafka import AIOKafkaProducer
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.util import calc_crc32c
from aiokafka.structs import RecordMetadata

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
NOT_UTF8 = b"\xffname"
TIME = int(time() * 1000)
"""Of all messages; the broker deletes what is older than a topic's retention."""
CHECKED = 21
"""From here on a batch's bytes are in its checksum."""

Content = tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes | None]]]
"""Key, value and headers of a message."""


def batch_of(*messages: Content, codec: str = "none", first: int = 0) -> bytes:
    """Build the bytes of a batch that begins at an offset."""
    builder = DefaultRecordBatchBuilder(
        2,
        CODECS[codec],
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1 << 30,
    )
    for number, (key, value, headers) in enumerate(messages):
        builder.append(number, timestamp=TIME, key=key, value=value, headers=list(headers))
    return struct.pack(">q", first) + bytes(builder.build())[8:]


def with_header_name_not_utf8(key: bytes, value: bytes | None) -> bytes:
    """Build a batch of one message that has a header of that name."""
    placeholder = "~" + NOT_UTF8[1:].decode()
    batch = batch_of((key, value, [(placeholder, b"1"), ("last", None)]))
    return sealed(batch.replace(placeholder.encode(), NOT_UTF8))


def with_codec(batch: bytes, number: int) -> bytes:
    """Say that a batch is compressed with a codec, whatever is in it."""
    return sealed(batch[:CHECKED] + struct.pack(">h", number) + batch[CHECKED + 2 :])


def sealed(batch: bytes) -> bytes:
    """Correct the checksum of a batch that was changed."""
    checksum = struct.pack(">I", calc_crc32c(batch[CHECKED:]))
    return batch[: CHECKED - 4] + checksum + batch[CHECKED:]


async def send_batch(
    kafka: AIOKafkaProducer, topic: str, partition: int, batch: bytes
) -> RecordMetadata:
    """Produce a batch as it is; the producer must not be idempotent."""
    builder = kafka.create_batch()
    builder.append(timestamp=None, key=b"counted", value=None)
    builder._buffer = batch
    builder.close()
    return await (await kafka.send_batch(builder, topic, partition=partition))
