"""The state of a watch, the pace of its fetches, and the time of its notifications, for people."""

from dataclasses import dataclass
from typing import Literal

from connectors.display.reasons import shown_reason
from connectors.languages.formats import minute_of, number
from connectors.languages.texts import gettext, msgid, msgids, ngettext
from connectors.stores.pages import ListedSubscription
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Options

Tone = Literal["good", "warning", "bad", "quiet"]
UNITS = (
    (86_400, msgid("days")),
    (3_600, msgid("hours")),
    (60, msgid("minutes")),
    (1, msgid("seconds")),
)
"""Units of time: the seconds and the name of each."""
_DURATIONS = {
    86_400: msgids("%(num)s day", "%(num)s days"),
    3_600: msgids("%(num)s hour", "%(num)s hours"),
    60: msgids("%(num)s minute", "%(num)s minutes"),
    1: msgids("%(num)s second", "%(num)s seconds"),
}
_EVERY = {
    86_400: msgids("every day", "every %(num)s days"),
    3_600: msgids("every hour", "every %(num)s hours"),
    60: msgids("every minute", "every %(num)s minutes"),
    1: msgids("every second", "every %(num)s seconds"),
}


@dataclass(frozen=True, slots=True)
class ShownState:
    """A state in a few words, with a note below, and its urgency."""

    label: str
    tone: Tone
    detail: str = ""


Kind = Literal["failing", "lost", "waiting", "paused", "ended", ""]
"""Filters and orders of a list of watches; empty if there is nothing to say."""


def kind_of(listed: ListedSubscription) -> Kind:
    """Return the kind of state of a subscription."""
    if listed.state not in ("active", "paused"):
        return "ended"
    if listed.state == "paused":
        return "paused"
    if listed.failures:
        return "failing"
    if listed.lost_since is not None:
        return "lost"
    return "waiting" if listed.waiting_for or listed.missing else ""


def shown_state(listed: ListedSubscription, max_failures: int, now: int) -> ShownState:
    """Return the state of a subscription at a time (epoch ms).

    ``max_failures`` is the deployment's, for subscriptions without a number.
    """
    kind = kind_of(listed)
    if kind == "paused":
        detail = gettext("No notifications until it is resumed.")
        return ShownState(gettext("Paused"), "quiet", detail)
    if listed.state == "expired":
        return ShownState(gettext("Expired"), "bad", shown_reason(listed.reason))
    if kind == "ended":
        return ShownState(gettext("Cancelled"), "quiet")
    if kind == "failing":
        chosen = listed.subscription.options.max_failures
        most = max_failures if chosen is None else chosen
        failures = number(listed.failures)
        label = gettext("Failing %(num)s", num=failures)
        if most:
            label = gettext("Failing %(num)s of %(most)s", num=failures, most=number(most))
        return ShownState(label, "bad", shown_reason(listed.last_error))
    if listed.lost_since is not None:
        since, reason = minute_of(listed.lost_since), shown_reason(listed.missing)
        detail = gettext("Since %(time)s: %(reason)s", time=since, reason=reason)
        return ShownState(gettext("Lost"), "bad", detail)
    return _healthy(listed, now)


def _healthy(listed: ListedSubscription, now: int) -> ShownState:
    if listed.waiting_for:
        return ShownState(gettext("Waiting"), "warning", shown_reason(listed.waiting_for))
    if listed.missing:
        return ShownState(gettext("Not found"), "warning", shown_reason(listed.missing))
    if is_pages(listed.subscription.url):
        detail = gettext("It hears of what your other watches find.")
        return ShownState(gettext("OK"), "good", detail)
    if listed.last_check is None:
        detail = gettext("Later fetches are compared with the first.")
        return ShownState(gettext("Not yet fetched"), "quiet", detail)
    if listed.flapping_until > now:
        detail = gettext("It goes back and forth between texts.")
        return ShownState(gettext("Flapping"), "warning", detail)
    return ShownState(gettext("OK"), "good")


def patience_text(options: Options) -> str:
    """Return when a subscription is notified of a change; empty if at once.

    >>> patience_text(Options(patience=86_400, patience_visits=3))
    'once a change has stood for 1 day and 3 visits'
    """
    time, count = options.patience, options.patience_visits
    stood = _duration(time) if time else ""
    visits = ngettext("%(num)s visit", "%(num)s visits", count) if count else ""
    if stood and visits:
        return gettext(
            "once a change has stood for %(time)s and %(visits)s", time=stood, visits=visits
        )
    if not (stood or visits):
        return ""
    return gettext("once a change has stood for %(time)s", time=stood or visits)


def interval_text(options: Options) -> str:
    """Return how often the page of a subscription is fetched.

    >>> interval_text(Options(interval=600, max_interval=86_400))
    'every 10 minutes, up to 1 day apart while it seldom changes'
    """
    size = _unit(options.interval)
    every = ngettext(*_EVERY[size], options.interval // size)
    if not options.max_interval:
        return every
    return gettext(
        "%(every)s, up to %(longest)s apart while it seldom changes",
        every=every,
        longest=_duration(options.max_interval),
    )


def _duration(seconds: int) -> str:
    size = _unit(seconds)
    return ngettext(*_DURATIONS[size], seconds // size)


def _unit(seconds: int) -> int:
    """Return the largest unit of which some seconds are a multiple."""
    return next(size for size in _DURATIONS if seconds % size == 0)
