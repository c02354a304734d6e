"""All topics and their records.

All have the same partition count. Keys are raw UTF-8; code reads the URL in the record, never the
key. The partitioner is murmur2, as in Kafka's Java client.
"""

from dataclasses import dataclass
from typing import Any, get_args

from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.challenges import Challenge, Challenged
from schemas.records.changes import Change
from schemas.records.claims import KeyClaimed, Partitioned, StoreClaimed
from schemas.records.crawls import LinksFound, PageSeen
from schemas.records.deliveries import Attempt, Delivery, Redeliver
from schemas.records.fetches import FetchDue, Forget
from schemas.records.judgements import JudgeCommand
from schemas.records.notifications import Notification
from schemas.records.percolations import Interest, Percolation, TermFilter
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.requests import Request
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    PageRemoved,
    Subscribed,
    SubscriptionFact,
)
from schemas.records.waiting import ChangesWaiting, DocumentVisited
from schemas.records.watches import StateWatches, WatchesStated


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's name without its prefix, and its kinds of records.

    The order of the records is the order of the topic's union at a schema registry. ``large``
    topics accept messages of up to 16 MB. Anyone may produce to an ``open_to_all`` topic, so its
    timestamps are set by the broker, not by producers. A topic which ``keeps_last`` is compacted:
    the last message of a key is never lost.
    """

    name: str
    kinds: tuple[type[Any], ...]
    allow_json: bool = False
    large: bool = False
    open_to_all: bool = False
    keeps_last: bool = False


SUBSCRIPTION_REQUESTS = Topic(  # key: document URL
    "subscription-requests",
    (*get_args(Request), StateWatches),
    allow_json=True,
    open_to_all=True,
)
SUBSCRIPTIONS = Topic(  # key: document URL
    "subscriptions", (*get_args(SubscriptionFact), WatchesStated, ChangesWaiting)
)
FETCHES = Topic("fetches", (FetchDue, Forget))  # explicit partition: that of the host
RENDERS = Topic("renders", (FetchDue, Forget))  # explicit partition: that of the host
CHANGES = Topic(  # key: document URL
    "changes", (*get_args(Change), DocumentVisited, LinksFound), large=True
)
PERCOLATIONS = Topic(  # explicit partition: that of a word
    "percolations", get_args(Percolation), large=True
)
INTERESTS = Topic("interests", (Interest, TermFilter))  # explicit partition: every one
HISTORY_REQUESTS = Topic(  # key: manager, or document URL
    "history-requests", (BackfillGranted, BackfillEnded, Reprocess)
)
CRAWLS = Topic(  # key: document URL of the crawl
    "crawls", (PageSeen, Subscribed, Cancelled, Expired, PageRemoved), large=True
)
JUDGEMENTS = Topic("judgements", get_args(JudgeCommand), large=True)  # key: document URL
NOTIFICATIONS = Topic("notifications", (Notification,), large=True)  # key: client
ATTEMPTS = Topic("attempts", (Attempt, Redeliver, Challenged))  # key: client
CHALLENGES = Topic("challenges", (Challenge,))  # key: manager, then address
DELIVERIES = Topic("deliveries", get_args(Delivery))  # key: client
REPROCESSED = Topic("reprocessed", (Reprocessed,), large=True)  # key: document URL
DEAD_LETTERS = Topic("dead-letters", (), large=True)  # messages as they were found
DEPLOYMENT = Topic(  # key: what it is about
    "deployment", (StoreClaimed, KeyClaimed, Partitioned), keeps_last=True
)

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
    JUDGEMENTS,
    NOTIFICATIONS,
    ATTEMPTS,
    CHALLENGES,
    DELIVERIES,
    REPROCESSED,
    DEAD_LETTERS,
    DEPLOYMENT,
)
