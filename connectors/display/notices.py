"""Notices, which have no entries: a document, or its part, is gone, or is back."""

from connectors.display.plain import harmless
from schemas.records.notifications import Notification

TITLES = {
    "timeout": "No longer readable",
    "failing": "Cannot be read",
    "recovered": "Can be read again",
    "lost": "Not found any more",
    "found": "Found again",
    "pageAdded": "New page",
    "pageRemoved": "Page removed",
}
"""By the status of a notification; a change has none."""
TEXTS = {
    "timeout": "The document could not be read any more, so it is no longer watched.",
    "failing": "The document could not be read; it is fetched again, ever less often.",
    "recovered": "The document was read again.",
    "lost": "The document no longer has the part that is watched, or is a login page.",
    "found": "What is watched in the document is there again.",
    "pageAdded": "A page that is covered links to this one now.",
    "pageRemoved": "No page that is covered links to this one any more.",
}
"""By the status of a notification; a change has none."""
TEST = "This is a test notification: nothing has changed."


def notice_text(fact: Notification) -> str | None:
    """Return the text of a notice, None for a change."""
    if fact.test:
        return TEST
    if fact.status not in TEXTS:
        return None
    has_reason = fact.reason and fact.status != "pageRemoved"
    reason = f" ({harmless(fact.reason)})" if has_reason else ""
    return TEXTS[fact.status] + reason
