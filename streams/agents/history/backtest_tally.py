"""Notifications that changes would have caused: counted, and the newest listed."""

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from schemas.codec.backtests import KeywordTally, ListedNotification, past_notification_json
from schemas.records.changes import DocumentChanged
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.waiting import Stood
from streams.agents.deliver.outbox.times import day_end, outside_hours
from streams.matching.stretches import DOCUMENT
from streams.values.steps import Steps

if TYPE_CHECKING:
    from streams.matching.change_words import KnownForms

MAX_LISTED = 1_000_000
"""Characters of JSON that are listed, except for one notification that is larger by itself."""
MAX_DIFFS = 20
"""Entries of a notification that are listed."""


class ListingSize(NamedTuple):
    """The most entries of a notification that are listed, and the characters of JSON in all.

    The first notification is listed in any case.
    """

    diffs: int | None
    characters: int


LISTED = ListingSize(MAX_DIFFS, MAX_LISTED)
"""For listings."""


@dataclass(slots=True)
class Tally:
    """Counts and lists changes, which come newest first.

    ``limit`` is how many notifications are listed, as far as ``listing`` allows. ``next_listed`` is
    time and id of the last change that is listed, None if all are; ``without_texts`` counts changes
    that were recorded without the whole texts although the subscription's keywords may be anywhere
    in them. With patience, ``dropped`` counts the edits which did not stand, and ``waiting`` the
    changes still waiting. So many notifications would have been ``held``, as they came outside of
    the hours, or when as many were sent on their day as it wants.
    """

    subscription: Subscription
    limit: int
    listing: ListingSize = LISTED
    changes: int = 0
    notifications: int = 0
    without_texts: int = 0
    dropped: int = 0
    waiting: int = 0
    held: int = 0
    keywords: dict[str, KeywordTally] = field(default_factory=dict)
    listed: list[ListedNotification] = field(default_factory=list)
    next_listed: tuple[int, str] | None = None
    _sent: Counter[int] = field(default_factory=Counter)
    _size: int = 0
    _last_listed: tuple[int, str] | None = None
    _forms: "KnownForms | None" = None

    def look(self, change: DocumentChanged, stood: Stood | None = None) -> Steps[None]:
        """Count a change, and list its notification while one more fits.

        ``stood`` says for how long it stood, if the subscription waits for that.
        """
        # Only the thread that matches needs it.
        from streams.matching.backtest import past_notification  # noqa: PLC0415
        from streams.matching.change_words import KnownForms  # noqa: PLC0415
        from streams.matching.notifications import delivery_times  # noqa: PLC0415

        is_listing = self.next_listed is None and len(self.listed) < self.limit
        self._forms = self._forms or KnownForms()
        found = yield from past_notification(
            self.subscription, change, self._forms, in_full=is_listing
        )
        self.changes += 1
        self.without_texts += self.subscription.options.scope == DOCUMENT and change.texts is None
        if found is None:
            return
        self.notifications += 1
        held = outside_hours(delivery_times(self.subscription.options), change.at)
        self.held += held is not None or self._is_over_limit(change.at)
        for keyword in dict.fromkeys(found.keywords):
            known = self.keywords.get(keyword, KeywordTally(0, change.at))
            self.keywords[keyword] = replace(known, count=known.count + 1)
        notification = found.notification and replace(found.notification, stood=stood, held=held)
        if notification is None or not self._list(notification):
            self.next_listed = self.next_listed or self._last_listed

    def _is_over_limit(self, at: int) -> bool:
        options = self.subscription.options
        if options.max_per_day is None:
            return False
        end = day_end(options.timezone or DeliveryTimes().timezone, at)
        self._sent[end] += 1
        return self._sent[end] > options.max_per_day

    def _list(self, notification: Notification) -> bool:
        """List a notification, and return whether it fits; the first one does."""
        diffs = notification.diffs
        shown = replace(notification, diffs=diffs[: self.listing.diffs])
        found = ListedNotification(shown, len(diffs) - len(shown.diffs))
        self._size += len(json.dumps(past_notification_json(found)))
        if self.listed and self._size > self.listing.characters:
            return False
        self.listed.append(found)
        self._last_listed = notification.at, notification.change
        return True
