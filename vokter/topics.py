"""Records on topics and their encoding, for programs that read or write the topics themselves.

>>> request = Cancel("https://example.org/", Receiver(session="my-reader"))
>>> decode(encode(request), Cancel) == request
True
"""

from schemas.codec.wire import Undecodable, decode, encode
from schemas.records.changes import DocumentChanged
from schemas.records.deliveries import (
    AttemptFailed,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    ReceiverAsked,
    ReceiverConfirmed,
)
from schemas.records.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from schemas.records.judgements import Suppressed
from schemas.records.losses import LoginFound, LoginLost, SelectionFound, SelectionLost
from schemas.records.notifications import Notification
from schemas.records.requests import (
    Backfill,
    Cancel,
    Check,
    Pause,
    Rename,
    Resume,
    Rotate,
    Subscribe,
    Test,
)
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    PageAdded,
    PageRemoved,
    Rejected,
    Subscribed,
)
from schemas.records.subscriptions import Options, Receiver, Subscription

__all__ = [
    "AttemptFailed",
    "Backfill",
    "Cancel",
    "Cancelled",
    "Check",
    "ClientGone",
    "Delivered",
    "DeliveryFailed",
    "DeliveryHeld",
    "DocumentChanged",
    "DocumentFailing",
    "DocumentRecovered",
    "DocumentUnreachable",
    "Expired",
    "LoginFound",
    "LoginLost",
    "Notification",
    "Options",
    "PageAdded",
    "PageRemoved",
    "Pause",
    "Receiver",
    "ReceiverAsked",
    "ReceiverConfirmed",
    "Rejected",
    "Rename",
    "Resume",
    "Rotate",
    "SelectionFound",
    "SelectionLost",
    "Subscribe",
    "Subscribed",
    "Subscription",
    "Suppressed",
    "Test",
    "Undecodable",
    "decode",
    "encode",
]
