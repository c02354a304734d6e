"""All topics and the records that they carry.

All have the same partition count. Keys are raw UTF-8; code reads the URL in the
record, never the key. The partitioner is murmur2, as in Kafka's Java client.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from aiokafka.partitioner import murmur2

from schemas.records import topic_names as names
from schemas.records.topics import RECORDS
from schemas.records.urls import MAX_URL


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's name without its prefix, and the records that it may carry.

    ``large`` topics accept messages of up to 16 MB. Anyone may produce to an
    ``open_to_all`` topic, so its timestamps are set by the broker, not by producers.
    A topic that ``keeps_last`` is compacted: it never loses the last message of a key.
    """

    name: str
    kinds: tuple[type[Any], ...]
    allow_json: bool = False
    large: bool = False
    open_to_all: bool = False
    keeps_last: bool = False


def _topic(name: str, **options: bool) -> Topic:
    return Topic(name, RECORDS[name], **options)


SUBSCRIPTION_REQUESTS = _topic(  # key: document URL
    names.SUBSCRIPTION_REQUESTS, allow_json=True, open_to_all=True
)
SUBSCRIPTIONS = _topic(names.SUBSCRIPTIONS)  # key: document URL
FETCHES = _topic(names.FETCHES)  # explicit partition: that of the host
RENDERS = _topic(names.RENDERS)  # explicit partition: that of the host
CHANGES = _topic(names.CHANGES, large=True)  # key: document URL
PERCOLATIONS = _topic(names.PERCOLATIONS, large=True)  # explicit partition: that of a word
INTERESTS = _topic(names.INTERESTS)  # explicit partition: every one
HISTORY_REQUESTS = _topic(names.HISTORY_REQUESTS)  # key: manager, or document URL
CRAWLS = _topic(names.CRAWLS, large=True)  # key: document URL of the crawl
NOTIFICATIONS = _topic(names.NOTIFICATIONS, large=True)  # key: client
ATTEMPTS = _topic(names.ATTEMPTS)  # key: client
CHALLENGES = _topic(names.CHALLENGES)  # key: manager, then address
DELIVERIES = _topic(names.DELIVERIES)  # key: client
REPROCESSED = _topic(names.REPROCESSED, large=True)  # key: document URL
DEAD_LETTERS = _topic(names.DEAD_LETTERS, large=True)  # as found
DEPLOYMENT = _topic(names.DEPLOYMENT, keeps_last=True)  # key: what it is about

TOPICS = (
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    FETCHES,
    RENDERS,
    CHANGES,
    PERCOLATIONS,
    INTERESTS,
    HISTORY_REQUESTS,
    CRAWLS,
    NOTIFICATIONS,
    ATTEMPTS,
    CHALLENGES,
    DELIVERIES,
    REPROCESSED,
    DEAD_LETTERS,
    DEPLOYMENT,
)


def group_id(prefix: str, stage: str) -> str:
    """Return the consumer group of a stage."""
    return prefix + stage


def changelog_topic(prefix: str, stage: str, table: str) -> str:
    """Return the changelog topic of a stage's table.

    Example:
        >>> changelog_topic("vokter.", "match", "subscriptions")
        'vokter.match-subscriptions-changelog'
    """
    return f"{group_id(prefix, stage)}-{table}-changelog"


def partition_of(key: str, count: int) -> int:
    """Return the partition of a key, as Kafka's default partitioner does (murmur2)."""
    return partition_of_bytes(key.encode(), count)


def partition_of_bytes(key: bytes, count: int) -> int:
    """Return the partition of a key in UTF-8."""
    hashed = _hash(key) if len(key) <= MAX_URL else murmur2(key)
    return int(hashed & 0x7FFFFFFF) % count


@lru_cache(maxsize=1024)  # in Python it takes 7 µs, and receivers, hosts and URLs repeat
def _hash(key: bytes) -> int:
    return int(murmur2(key))
