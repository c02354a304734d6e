"""Every fact and command on the topics.

Each is a frozen dataclass, and an Avro record of the same name and fields: ``make schemas`` writes
them to ``avro``. ``kinds`` limits the values, ``validity`` several fields together, and ``wire``
encodes. Times and slots are epoch milliseconds, intervals are seconds, ids are hexadecimal content
hashes.
"""

from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.changes import Change
from schemas.records.claims import KeyClaimed, Partitioned, StoreClaimed
from schemas.records.crawls import LinksFound, PageSeen
from schemas.records.deliveries import Delivery, DeliveryCommand
from schemas.records.fetches import FetchDue, Forget
from schemas.records.judgements import JudgeCommand
from schemas.records.notifications import Notification
from schemas.records.percolations import Interest, Percolation, TermFilter
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.requests import Request
from schemas.records.subscription_facts import SubscriptionFact
from schemas.records.waiting import ChangesWaiting, DocumentVisited
from schemas.records.watches import StateWatches, WatchesStated

Fact = (
    Request
    | StateWatches
    | SubscriptionFact
    | WatchesStated
    | FetchDue
    | Forget
    | Change
    | DocumentVisited
    | ChangesWaiting
    | Percolation
    | Interest
    | TermFilter
    | BackfillGranted
    | BackfillEnded
    | LinksFound
    | PageSeen
    | Notification
    | JudgeCommand
    | Delivery
    | DeliveryCommand
    | Reprocess
    | Reprocessed
    | StoreClaimed
    | KeyClaimed
    | Partitioned
)
