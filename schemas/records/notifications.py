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
    """The message about a change to a subscription; ``url`` is as sent by its client.

    ``truncated`` says whether diffs were left out to keep the body within its limit, or words
    because the change has too many. ``rotation``, ``rotated`` and ``watch`` are the subscription's
    at the match. A ``test`` has no diffs. ``title`` is the page's; ``returned`` says when the page
    had this text before. ``reason`` says why the document cannot be read, or names the loss.
    ``picture_change`` is the change's. ``tags`` are those of the subscription. ``number`` is the
    number of a view. ``stood`` is the age of the change, if the subscription has patience.
    ``times`` say when the subscription wants to be notified, None at any time, and ``held`` why
    this was not sent at once. ``history`` says whether a client asked afterwards (``Backfill``).
    ``document`` is the page of a crawl, empty for the subscription's document. ``pages`` names the
    pages of a subscription for several. ``language`` is the page's, as in DocumentChanged; empty if
    unknown. ``name`` is the subscription's, empty if there is none. ``verdict`` is the outcome of
    the rule of the subscription, and ``because`` the reason, both by a language model; ``summary``
    is the model's. They are empty where nobody asked for them.
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
