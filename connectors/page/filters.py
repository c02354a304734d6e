"""Filters of a list, as its address names them: texts, tags as chips, and receivers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from connectors.languages.texts import gettext
from connectors.stores.pages import ListedSubscription, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader
from schemas.records.channels import channel_name
from schemas.records.tags import MAX_TAG, canonical_tag

MAX_TEXT = 200
"""Characters of a search."""

HERE = "page"
"""The session of those who read their notifications on this page."""
MAX_RECEIVERS = 200
"""Of the newest so many subscriptions, the receivers can be chosen."""


def asked_text(query: Mapping[str, str]) -> str:
    """Return the searched text."""
    return query.get("q", "").strip()[:MAX_TEXT]


def asked_tag(query: Mapping[str, str]) -> str:
    """Return the asked tag, in canonical form, empty for all.

    >>> asked_tag({"tag": " Gods "})
    'gods'
    """
    return canonical_tag(query.get("tag", ""))[:MAX_TAG]


def filtered(path: str, query: Mapping[str, str]) -> str:
    """Return the address of a filtered list.

    >>> filtered("/news", {"tag": "gods"}), filtered("/news", {})
    ('/news?tag=gods', '/news')
    """
    return f"{path}?{urlencode(query)}" if query else path


MAX_CHIPS = 60
"""The most tags to click; others by their address."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A tag or a state to filter a list by, with the address of the filtered list.

    ``count`` is the number of watches in the filtered list, if known.
    """

    name: str
    address: str
    is_chosen: bool
    count: int | None = None


def tag_chips(
    address: Callable[[str], str],
    tags: Iterable[str],
    chosen: str,
    counts: Mapping[str, int] | None = None,
) -> list[Chip]:
    """Return the chips above a list: all, then each tag; none without tags.

    ``address`` returns the address for a tag, empty for all. A chosen tag is among them even
    without any watch.

    >>> [each.name for each in tag_chips("/?tag={}".format, ["gods"], "")]
    ['All', 'gods']
    """
    names = sorted({*tags, chosen} - {""})
    if not names:
        return []
    all_tags = Chip(gettext("All"), address(""), not chosen)
    return [
        all_tags,
        *(
            Chip(each, address(each), each == chosen, counts.get(each, 0) if counts else None)
            for each in names
        ),
    ]


async def newest_subscriptions(
    subscriptions: SubscriptionReader, manager: str
) -> tuple[ListedSubscription, ...]:
    """Return a manager's newest subscriptions, ended ones too."""
    return (await subscriptions.search(manager, SubscriptionSearch(), None, MAX_RECEIVERS)).items


def webhooks_of(listed: Iterable[ListedSubscription]) -> list[str]:
    """Return the webhooks of subscriptions, each once."""
    urls = (each.subscription.receiver.client_url for each in listed)
    return list(dict.fromkeys(url for url in urls if url is not None))


def named_receiver(receiver: str) -> str:
    """Return a receiver in words: who reads notifications on the page has no address.

    >>> named_receiver("page"), named_receiver("channel:team")
    ('News', 'team')
    """
    return gettext("News") if receiver == HERE else channel_name(receiver) or receiver
