"""The state of a watch, how often its page is fetched, and when it notifies, for people."""

from dataclasses import dataclass
from typing import Literal

from connectors.stores.pages import ListedSubscription
from schemas.codec.times import minute_utc
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Options

Tone = Literal["good", "warning", "bad", "quiet"]
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
"""Units of time: the seconds that each has, and its name."""


@dataclass(frozen=True, slots=True)
class ShownState:
    """A state in a few words, with what stands below it, and how urgent it is."""

    label: str
    tone: Tone
    detail: str = ""


Kind = Literal["failing", "lost", "waiting", "paused", "ended", ""]
"""Filters and orders of a list of watches; empty if there is nothing to say."""


def kind_of(listed: ListedSubscription) -> Kind:
    """Return the kind of state that a subscription is in."""
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

    ``max_failures`` is the deployment's, for those that chose no number.
    """
    kind = kind_of(listed)
    if kind in {"paused", "ended"}:
        known = {
            "paused": ShownState("Paused", "quiet", "No notifications until it is resumed."),
            "cancelled": ShownState("Cancelled", "quiet"),
            "expired": ShownState("Expired", "bad", listed.reason or ""),
        }
        return known[listed.state]
    if kind == "failing":
        chosen = listed.subscription.options.max_failures
        most = max_failures if chosen is None else chosen
        of = f" of {most}" if most else ""
        return ShownState(f"Failing {listed.failures}{of}", "bad", listed.last_error or "")
    if listed.lost_since is not None:
        since = minute_utc(listed.lost_since)
        return ShownState("Lost", "bad", f"Since {since}: {listed.missing}")
    return _healthy(listed, now)


def _healthy(listed: ListedSubscription, now: int) -> ShownState:
    if listed.waiting_for:
        return ShownState("Waiting", "warning", listed.waiting_for)
    if listed.missing:
        return ShownState("Not found", "warning", listed.missing)
    if is_pages(listed.subscription.url):
        return ShownState("OK", "good", "It hears of what your other watches find.")
    if listed.last_check is None:
        return ShownState("Not yet fetched", "quiet", "Later fetches are compared with the first.")
    if listed.flapping_until > now:
        return ShownState("Flapping", "warning", "It goes back and forth between texts.")
    return ShownState("OK", "good")


def patience_text(options: Options) -> str:
    """Return when a subscription is notified of a change; empty if at once.

    >>> patience_text(Options(patience=86_400, patience_visits=3))
    'once a change has stood for 1 day and 3 visits'
    """
    parts = [_duration(options.patience)] if options.patience else []
    parts += [f"{options.patience_visits} visits"] if options.patience_visits else []
    return f"once a change has stood for {' and '.join(parts)}" if parts else ""


def interval_text(options: Options) -> str:
    """Return how often the page of a subscription is fetched.

    >>> interval_text(Options(interval=600, max_interval=86_400))
    'every 10 minutes, up to 1 day apart while it seldom changes'
    """
    text = f"every {_duration(options.interval).removeprefix('1 ')}"
    longest = options.max_interval
    return f"{text}, up to {_duration(longest)} apart while it seldom changes" if longest else text


def _duration(seconds: int) -> str:
    size, unit = next(each for each in UNITS if seconds % each[0] == 0)
    return f"{seconds // size} {unit}" if seconds == size else f"{seconds // size} {unit}s"
