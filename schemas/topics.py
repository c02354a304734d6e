"""The names of topics and stages, and the records on each topic.

``streams.topics`` says how the topics are set up.
"""

from collections.abc import Mapping
from typing import Any, get_args

from schemas.backfills import BackfillEnded, BackfillGranted
from schemas.challenges import Challenge, Challenged
from schemas.changes import Change
from schemas.claims import KeyClaimed, StoreClaimed
from schemas.crawls import LinksFound, PageSeen
from schemas.deliveries import Attempt, Delivery, Redeliver
from schemas.fetches import FetchDue, Forget, Tick
from schemas.notifications import Notification
from schemas.percolations import Interest, Percolation
from schemas.reprocessing import Reprocess, Reprocessed
from schemas.requests import Request
from schemas.subscription_facts import (
    Cancelled,
    Expired,
    PageRemoved,
    Subscribed,
    SubscriptionFact,
)
from schemas.waiting import ChangesWaiting, DocumentVisited
from schemas.watches import StateWatches, WatchesStated

PREFIX = "vokter."
"""What the names of topics and consumer groups begin with, unless it is set otherwise."""

SUBSCRIPTION_REQUESTS = "subscription-requests"
SUBSCRIPTIONS = "subscriptions"
TICKS = "ticks"
FETCHES = "fetches"
RENDERS = "renders"
CHANGES = "changes"
PERCOLATIONS = "percolations"
INTERESTS = "interests"
BACKFILLS = "backfills"
CRAWLS = "crawls"
NOTIFICATIONS = "notifications"
ATTEMPTS = "attempts"
CHALLENGES = "challenges"
DELIVERIES = "deliveries"
DEAD_LETTERS = "dead-letters"
REPROCESSING = "reprocessing"
REPROCESSED = "reprocessed"
DEPLOYMENT = "deployment"

RECORDS: Mapping[str, tuple[type[Any], ...]] = {
    SUBSCRIPTION_REQUESTS: (*get_args(Request), StateWatches),
    SUBSCRIPTIONS: (*get_args(SubscriptionFact), WatchesStated, ChangesWaiting),
    TICKS: (Tick,),
    FETCHES: (FetchDue, Forget),
    RENDERS: (FetchDue, Forget),
    CHANGES: (*get_args(Change), DocumentVisited, LinksFound),
    PERCOLATIONS: get_args(Percolation),
    INTERESTS: (Interest,),
    BACKFILLS: (BackfillGranted, BackfillEnded),
    CRAWLS: (PageSeen, Subscribed, Cancelled, Expired, PageRemoved),
    NOTIFICATIONS: (Notification,),
    ATTEMPTS: (Attempt, Redeliver, Challenged),
    CHALLENGES: (Challenge,),
    DELIVERIES: get_args(Delivery),
    REPROCESSING: (Reprocess,),
    REPROCESSED: (Reprocessed,),
    DEAD_LETTERS: (),
    DEPLOYMENT: (StoreClaimed, KeyClaimed),
}
"""The records that each topic may carry; dead letters are messages as they were found.

The order matters: at a schema registry it is that of the topic's union.
"""

STAGES = (
    *("schedule", "fetch", "render", "match", "percolate", "deliver", "announce", "backfill"),
    *("record", "crawl", "reprocess"),
)
"""After the prefix, the stages' consumer groups."""
