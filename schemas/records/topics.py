"""The records on each topic.

``streams.values.topics`` says how the topics are set up.
"""

from collections.abc import Mapping
from typing import Any, get_args

from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.challenges import Challenge, Challenged
from schemas.records.changes import Change
from schemas.records.claims import KeyClaimed, Partitioned, StoreClaimed
from schemas.records.crawls import LinksFound, PageSeen
from schemas.records.deliveries import Attempt, Delivery, Redeliver
from schemas.records.fetches import FetchDue, Forget
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
from schemas.records.topic_names import (
    ATTEMPTS,
    CHALLENGES,
    CHANGES,
    CRAWLS,
    DEAD_LETTERS,
    DELIVERIES,
    DEPLOYMENT,
    FETCHES,
    HISTORY_REQUESTS,
    INTERESTS,
    NOTIFICATIONS,
    PERCOLATIONS,
    RENDERS,
    REPROCESSED,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
)
from schemas.records.waiting import ChangesWaiting, DocumentVisited
from schemas.records.watches import StateWatches, WatchesStated

RECORDS: Mapping[str, tuple[type[Any], ...]] = {
    SUBSCRIPTION_REQUESTS: (*get_args(Request), StateWatches),
    SUBSCRIPTIONS: (*get_args(SubscriptionFact), WatchesStated, ChangesWaiting),
    FETCHES: (FetchDue, Forget),
    RENDERS: (FetchDue, Forget),
    CHANGES: (*get_args(Change), DocumentVisited, LinksFound),
    PERCOLATIONS: get_args(Percolation),
    INTERESTS: (Interest, TermFilter),
    HISTORY_REQUESTS: (BackfillGranted, BackfillEnded, Reprocess),
    CRAWLS: (PageSeen, Subscribed, Cancelled, Expired, PageRemoved),
    NOTIFICATIONS: (Notification,),
    ATTEMPTS: (Attempt, Redeliver, Challenged),
    CHALLENGES: (Challenge,),
    DELIVERIES: get_args(Delivery),
    REPROCESSED: (Reprocessed,),
    DEAD_LETTERS: (),
    DEPLOYMENT: (StoreClaimed, KeyClaimed, Partitioned),
}
"""The records that each topic may carry; dead letters are messages as they were found.

The order matters: at a schema registry it is that of the topic's union.
"""
