"""Notices, which have no entries: a document, or its part, is gone, or is back."""

from connectors.display.plain import harmless
from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext, msgid
from schemas.records.notifications import Notification

TITLES = {
    "timeout": msgid("No longer readable"),
    "failing": msgid("Cannot be read"),
    "recovered": msgid("Can be read again"),
    "lost": msgid("Not found any more"),
    "found": msgid("Found again"),
    "pageAdded": msgid("New page"),
    "pageRemoved": msgid("Page removed"),
}
"""By the status of a notification; a change has none."""
TEXTS = {
    "timeout": msgid("The document could not be read any more, so it is no longer watched."),
    "failing": msgid("The document could not be read; it is fetched again, ever less often."),
    "recovered": msgid("The document was read again."),
    "lost": msgid("The document no longer has the part that is watched, or is a login page."),
    "found": msgid("What is watched in the document is there again."),
    "pageAdded": msgid("A page that is covered links to this one now."),
    "pageRemoved": msgid("No page that is covered links to this one any more."),
}
"""By the status of a notification; a change has none."""
TEST = msgid("This is a test notification: nothing has changed.")


def notice_text(fact: Notification) -> str | None:
    """Return the text of a notice, None for a change."""
    if fact.test:
        return gettext(TEST)
    if fact.status not in TEXTS:
        return None
    has_reason = fact.reason and fact.status != "pageRemoved"
    reason = f" ({harmless(shown_reason(fact.reason))})" if has_reason else ""
    return gettext(TEXTS[fact.status]) + reason
