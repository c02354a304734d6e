"""Notifications: the messages to subscribers."""

from dataclasses import dataclass

from schemas.records.changes import Diff, Returned
from schemas.records.delivery_times import DeliveryTimes, Held
from schemas.records.field_types import (
    Because,
    Count,
    GivenUrl,
    Id,
    Name,
    NotificationStatus,
    Summary,
    Text,
    Time,
    Title,
)
from schemas.records.names import SubscriptionName
from schemas.records.numbers import NumberNews
from schemas.records.subscriptions import Receiver
from schemas.records.tags import Tags
from schemas.records.waiting import Stood


@dataclass(frozen=True, slots=True)
class Notification:
    """The message about one change to one subscription; ``url`` is as its client sent it.

    ``truncated`` says that diffs were left out to keep the body within its limit, or that
    the change has more words than are looked at.
    ``rotation``, ``rotated`` and ``watch`` are those of the subscription when it was matched.
    A ``test`` has no diffs. ``title`` is the page's; ``returned`` says that it had this text
    before. ``reason`` says why the document cannot be read, or what of it is lost.
    ``picture_change`` is that of the change. ``tags`` are those of the subscription.
    ``number`` is what a view with a number is about. ``stood`` says for how long the change
    stood, if the subscription waits for that. ``times`` say when the subscription wants to be
    notified, None at any time, and ``held`` why this was not sent at once.
    ``history`` says that a client asked for it afterwards (``Backfill``).
    ``document`` is the page of a crawl that it is about, empty for the subscription's document.
    ``pages`` says for which pages the subscription is, if it is for several.
    ``language`` is that of the page, as in DocumentChanged; empty if it is not known.
    ``name`` is that of the subscription, empty if it has none.
    ``verdict`` is what became of the rule of the subscription, and ``because`` why, as a language
    model says; ``summary`` is that of the model. They are empty where nobody asked for them.
    """

    id: Id
    change: Id
    subscription: Id
    manager: Name
    receiver: Receiver
    status: NotificationStatus
    url: GivenUrl
    content_type: Text
    diffs: tuple[Diff, ...]
    truncated: bool
    at: Time
    rotation: Count
    rotated: Time
    watch: Id
    test: bool
    title: Title = ""
    returned: Returned | None = None
    reason: Text = ""
    picture_change: Count | None = None
    tags: Tags = ()
    number: NumberNews | None = None
    stood: Stood | None = None
    times: DeliveryTimes | None = None
    held: Held | None = None
    history: bool = False
    document: GivenUrl = ""
    pages: GivenUrl = ""
    language: Id = ""
    name: SubscriptionName = ""
    verdict: Text = ""
    because: Because = ""
    summary: Summary = ""

    @property
    def called(self) -> str:
        """The name of the subscription, or else the title of the page.

        A subscription for several pages needs the page, too.
        """
        if self.name and (self.document or self.pages):
            return f"{self.name}: {self.title or self.document or self.url}"
        return self.name or self.title
