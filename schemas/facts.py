"""Every fact and command that travels on a topic.

Each is a frozen dataclass, and one Avro record of the same name and fields: ``make schemas``
writes them to ``avro``. ``kinds`` says what the values may be, ``validity`` what concerns
several fields, and ``wire`` encodes. Times and slots are epoch milliseconds, intervals are
seconds, ids are hexadecimal content hashes.
"""

from schemas.backfills import BackfillEnded, BackfillGranted
from schemas.changes import Change
from schemas.claims import KeyClaimed, Partitioned, StoreClaimed
from schemas.crawls import LinksFound, PageSeen
from schemas.deliveries import Delivery, DeliveryCommand
from schemas.fetches import FetchDue, Forget, Tick
from schemas.notifications import Notification
from schemas.percolations import Interest, Percolation
from schemas.reprocessing import Reprocess, Reprocessed
from schemas.requests import Request
from schemas.subscription_facts import SubscriptionFact
from schemas.waiting import ChangesWaiting, DocumentVisited
from schemas.watches import StateWatches, WatchesStated

Fact = (
    Request
    | StateWatches
    | SubscriptionFact
    | WatchesStated
    | Tick
    | FetchDue
    | Forget
    | Change
    | DocumentVisited
    | ChangesWaiting
    | Percolation
    | Interest
    | BackfillGranted
    | BackfillEnded
    | LinksFound
    | PageSeen
    | Notification
    | Delivery
    | DeliveryCommand
    | Reprocess
    | Reprocessed
    | StoreClaimed
    | KeyClaimed
    | Partitioned
)
