"""All topics and the records that they carry.

All have the same partition count. Keys are raw UTF-8; code reads the URL in the
record, never the key. The partitioner is murmur2, as in Kafka's Java client.
"""

from dataclasses import dataclass
from typing import Any

from aiokafka.partitioner import murmur2

from schemas import topics as topic_names
from schemas.facts import (
    Attempt,
    Cancel,
    Cancelled,
    Challenge,
    Challenged,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DocumentChanged,
    DocumentUnreachable,
    Expire,
    Expired,
    FetchDue,
    Forget,
    KeyClaimed,
    Notification,
    Pause,
    Redeliver,
    Rejected,
    Resume,
    Rotate,
    StoreClaimed,
    Subscribe,
    Subscribed,
    Test,
    Tick,
)


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


SUBSCRIPTION_REQUESTS = Topic(  # key: document URL
    topic_names.SUBSCRIPTION_REQUESTS,
    (Subscribe, Cancel, Rotate, Pause, Resume, Test, Expire),
    allow_json=True,
    open_to_all=True,
)
SUBSCRIPTIONS = Topic(  # key: document URL
    topic_names.SUBSCRIPTIONS, (Subscribed, Cancelled, Rejected, Expired)
)
TICKS = Topic(topic_names.TICKS, (Tick,))  # explicit partition
FETCHES = Topic(topic_names.FETCHES, (FetchDue, Forget))  # explicit partition: that of the host
CHANGES = Topic(  # key: document URL
    topic_names.CHANGES, (DocumentChanged, DocumentUnreachable), large=True
)
NOTIFICATIONS = Topic(topic_names.NOTIFICATIONS, (Notification,), large=True)  # key: client
ATTEMPTS = Topic(topic_names.ATTEMPTS, (Attempt, Redeliver, Challenged))  # key: client
CHALLENGES = Topic(topic_names.CHALLENGES, (Challenge,))  # key: host
DELIVERIES = Topic(topic_names.DELIVERIES, (Delivered, DeliveryFailed, ClientGone))  # key: client
DEAD_LETTERS = Topic(topic_names.DEAD_LETTERS, (), large=True)  # as found

DEPLOYMENT = Topic(
    topic_names.DEPLOYMENT, (StoreClaimed, KeyClaimed), keeps_last=True
)  # key: what it is about

TOPICS = (
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    TICKS,
    FETCHES,
    CHANGES,
    NOTIFICATIONS,
    ATTEMPTS,
    CHALLENGES,
    DELIVERIES,
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
    return int(murmur2(key.encode()) & 0x7FFFFFFF) % count
