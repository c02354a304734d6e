"""Statuses of a notification: a document, or its part, is not there, or is again."""

from schemas.records.failures import (
    DocumentFailing,
    DocumentRecovered,
    DocumentUnreachable,
    FailureNotice,
)
from schemas.records.losses import LoginFound, LoginLost, LossNotice, SelectionFound, SelectionLost

Notice = FailureNotice | LossNotice
"""Statuses for subscriptions with notices."""
Unread = DocumentUnreachable | Notice

STATUSES: dict[type[Unread], str] = {
    DocumentUnreachable: "timeout",
    DocumentFailing: "failing",
    DocumentRecovered: "recovered",
    SelectionLost: "lost",
    SelectionFound: "found",
    LoginLost: "lost",
    LoginFound: "found",
}
"""The status of the notification of each."""
