"""Texts about a subscription, for people: its wishes, its times, and the omissions of its crawl."""

from functools import reduce
from urllib.parse import unquote

from connectors.languages.formats import number
from connectors.languages.texts import gettext, msgid, ngettext
from schemas.records.crawls import MAX_WITHOUT_ROOM
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.numbers import Conditions
from schemas.records.pages import PAGES, TAG
from schemas.records.subscriptions import Options, Subscription


def wanted(subscription: Subscription) -> tuple[str, ...]:
    """Return the keywords of a subscription, or its number with the conditions, or its stock."""
    options = subscription.options
    if options.view.stock and subscription.keywords == ("*",):
        return (gettext("in stock or not"),)
    if options.view.number is None:
        return subscription.keywords
    if not options.when.are_set:
        return (gettext("a number"),)
    return (gettext("a number %(conditions)s", conditions=conditions_text(options.when)),)


def conditions_text(when: Conditions) -> str:
    """Return of which numbers a subscription is notified.

    >>> conditions_text(Conditions(below="20", changes_by="5"))
    'below 20 or changed by 5 %'
    """
    limits = {"below": when.below, "above": when.above, "by": when.changes_by}
    said = [gettext(_CONDITIONS[name], limit=each) for name, each in limits.items() if each]
    return reduce(lambda one, other: gettext("%(one)s or %(other)s", one=one, other=other), said)


_CONDITIONS = {
    "below": msgid("below %(limit)s"),
    "above": msgid("above %(limit)s"),
    "by": msgid("changed by %(limit)s %%"),
}


def times_text(options: Options) -> str:
    """Return when a subscription is notified; empty if at any time.

    >>> times_text(Options(hours="8-18", max_per_day=5, timezone="Asia/Tokyo"))
    'at 8-18, at most 5 a day (Asia/Tokyo)'
    """
    parts = [gettext("at %(hours)s", hours=options.hours)] if options.hours else []
    if most := options.max_per_day:
        parts.append(ngettext("at most %(num)s a day", "at most %(num)s a day", most))
    zone = options.timezone or DeliveryTimes().timezone
    return f"{', '.join(parts)} ({zone})" if parts else ""


def pages_name(document: str) -> str:
    """Return which pages a subscription is for; ``document`` is canonical.

    >>> pages_name("pages:*"), pages_name("pages:tag=gods"), pages_name("pages:*.example.org")
    ('All watched pages', 'Watched pages with the tag gods', 'Watched pages of *.example.org')
    """
    wanted = document.removeprefix(PAGES)
    if wanted.startswith(TAG):
        tag = unquote(wanted.removeprefix(TAG))
        return gettext("Watched pages with the tag %(tag)s", tag=tag)
    if wanted == "*":
        return gettext("All watched pages")
    return gettext("Watched pages of %(hosts)s", hosts=wanted)


def without_room_text(count: int) -> str:
    """Say how many pages a crawl has left out because its manager has no room, and why.

    >>> without_room_text(1).partition(":")[0]
    '1 page is left out'
    """
    if count == MAX_WITHOUT_ROOM:
        return gettext(
            "%(num)s pages or more are left out: all crawls of its manager cover as many pages "
            "together as they may (VOKTER_MAX_PAGES_PER_MANAGER)",
            num=number(count),
        )
    return ngettext(
        "%(num)s page is left out: all crawls of its manager cover as many pages together as they "
        "may (VOKTER_MAX_PAGES_PER_MANAGER)",
        "%(num)s pages are left out: all crawls of its manager cover as many pages together as "
        "they may (VOKTER_MAX_PAGES_PER_MANAGER)",
        count,
    )
