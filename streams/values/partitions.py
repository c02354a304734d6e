"""The partition of a key, as in Kafka's default partitioner (murmur2)."""

from functools import lru_cache

from aiokafka.partitioner import murmur2

from schemas.records.urls import MAX_URL

# In Python it takes 7 µs, and receivers, hosts and URLs repeat.
_hash = lru_cache(maxsize=1024)(murmur2)


def partition_of(key: str, count: int) -> int:
    """Return the partition of a key, as Kafka's default partitioner does (murmur2)."""
    return partition_of_bytes(key.encode(), count)


def partition_of_bytes(key: bytes, count: int) -> int:
    """Return the partition of a key in UTF-8."""
    hashed = _hash(key) if len(key) <= MAX_URL else murmur2(key)
    return int(hashed & 0x7FFFFFFF) % count
