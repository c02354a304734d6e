"""Hints of a message for services beyond plain texts, such as ntfy."""

from typing import Literal, NamedTuple

from connectors.channels.work import NO_LINKS, Links
from schemas.records.notifications import Notification

Priority = Literal["low", "default", "high"]

_SIGNS = {
    "timeout": "no_entry",
    "failing": "warning",
    "recovered": "white_check_mark",
    "lost": "warning",
    "found": "white_check_mark",
    "pageAdded": "new",
    "pageRemoved": "wastebasket",
}
"""By status, the short code of an emoji before the title in ntfy."""
_LOW, _HIGH = frozenset({"failing", "recovered", "found"}), frozenset({"timeout", "lost"})


class Hints(NamedTuple):
    """The address that a tap on the message opens, its tags (without blanks), and its urgency.

    Mail programs POST to ``stop`` to unsubscribe.
    """

    link: str = ""
    tags: tuple[str, ...] = ()
    priority: Priority = "default"
    stop: str = ""


NO_HINTS = Hints()


def hints_of(fact: Notification, links: Links = NO_LINKS) -> Hints:
    """Return the hints of a notification.

    A condition met by a number is urgent, as is a loss; a page unreadable for a while is not.

    >>> from tests.fakes.outgoing import notification
    >>> hints_of(notification("n1"), Links("https://vokter.example/notification/n1")).link
    'https://vokter.example/notification/n1'
    """
    own = ("_".join(tag.split()) for tag in fact.tags if tag.isascii())  # they become a header
    tags = (*filter(None, [_SIGNS.get(fact.status)]), *own)
    link = links.news or fact.document or fact.url
    priority: Priority = "low" if fact.status in _LOW else "default"
    if fact.status in _HIGH or (fact.number is not None and fact.number.why):
        priority = "high"
    return Hints(link, tags, priority, links.stop)
