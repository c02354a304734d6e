"""Results of backtests: the past notifications of a subscription."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from schemas.codec.body import diff_json, held_json, returned_json, share_json, stood_json
from schemas.codec.times import rfc3339
from schemas.records.notifications import Notification


class ListedNotification(NamedTuple):
    """A hypothetical notification, with its first entries, and the number of its others."""

    notification: Notification
    more_diffs: int


@dataclass(frozen=True, slots=True)
class KeywordTally:
    """The number of notifications with a keyword, and the time (epoch ms) of the last."""

    count: int
    last: int


@dataclass(frozen=True, slots=True)
class PastNotifications:
    """The result of a backtest.

    All ``changes`` from ``since`` to ``until`` (epoch ms) were searched; ``since`` is None without
    a history, ``until`` without an end. ``without_texts`` counts changes recorded without the whole
    texts. With patience, ``dropped`` counts the edits which did not stand, and ``waiting`` the
    changes still waiting. Of the notifications in ``total``, so many would have been ``held``.
    ``judged`` counts the listed notifications judged by a rule in plain words, with ``tokens``.
    ``stopped`` names the limit at the end of the search, empty for none; ``next`` is the cursor of
    the rest.
    """

    since: int | None = None
    until: int | None = None
    changes: int = 0
    without_texts: int = 0
    dropped: int = 0
    waiting: int = 0
    held: int = 0
    total: int = 0
    keywords: Mapping[str, KeywordTally] = field(default_factory=dict)
    listed: tuple[ListedNotification, ...] = ()
    judged: int = 0
    tokens: int = 0
    stopped: str = ""
    next: str | None = None


def past_notification_json(listed: ListedNotification) -> dict[str, Any]:
    """Return a hypothetical notification, without absent fields."""
    notification = listed.notification
    shown: dict[str, Any] = {
        "change": notification.change,
        "at": rfc3339(notification.at),
        "title": notification.title or None,
        "returned": returned_json(notification.returned),
        "stood": stood_json(notification.stood),
        "held": held_json(notification.held),
        "pictureChange": share_json(notification.picture_change),
        "truncated": notification.truncated or None,
        "diffs": list(map(diff_json, notification.diffs)),
        "moreDiffs": listed.more_diffs or None,
        "verdict": notification.verdict or None,
        "because": notification.because or None,
        "summary": notification.summary or None,
    }
    return {name: value for name, value in shown.items() if value is not None}
