"""Decide what becomes of a notification: published, with a verdict or a summary, or suppressed."""

from dataclasses import replace

from schemas.codec.body import fits
from schemas.records.field_types import MAX_TEXT
from schemas.records.judgements import (
    NOT_JUDGED,
    NOT_SUMMARIZED,
    SENT_AFTER_ALL,
    SUPPRESSED,
    Judgement,
    Judging,
    Suppressed,
)
from schemas.records.notifications import Notification
from schemas.records.topics import DELIVERIES, NOTIFICATIONS
from streams.values.outcome import Send

OK = "ok"
"""The status of a notification of a change; one of another status has nothing to judge."""


def unjudged(judging: Judging, reason: str) -> Judgement:
    """Return what is decided without the model, which gave no answer for a reason."""
    begin = NOT_JUDGED if judging.rule else NOT_SUMMARIZED
    return Judgement((begin + reason)[:MAX_TEXT])


def judged_send(notification: Notification, judgement: Judgement, at: int) -> Send:
    """Send a notification with what was decided of it ``at`` a time (epoch ms), as it is or not."""
    whole = with_judgement(notification, judgement)
    client = notification.receiver.name
    if judgement.verdict == SUPPRESSED:
        return Send(DELIVERIES.name, client, Suppressed(whole, at))
    return Send(NOTIFICATIONS.name, client, whole)


def sent_after_all(notification: Notification, at: int) -> tuple[Send, Send]:
    """Send a notification that was suppressed, and note that."""
    client = notification.receiver.name
    sent = replace(notification, verdict=SENT_AFTER_ALL)
    return (
        Send(NOTIFICATIONS.name, client, sent),
        Send(DELIVERIES.name, client, Suppressed(notification, at, sent=at)),
    )


def with_judgement(notification: Notification, judgement: Judgement) -> Notification:
    """Return a notification with what the model says; its last entries go if it is too large."""
    found = replace(
        notification,
        verdict=judgement.verdict,
        because=judgement.because,
        summary=judgement.summary,
    )
    while found.diffs and not fits(found):
        found = replace(found, diffs=found.diffs[:-1], truncated=True)
    return found
