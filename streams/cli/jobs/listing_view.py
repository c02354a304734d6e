"""Shows subscriptions for people, or as lines of JSON."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from connectors.api.listed import listed_json
from connectors.display.subscription_texts import pages_name, times_text, wanted, without_room_text
from connectors.stores.pages import ListedSubscription
from schemas.codec.json_values import nested_json
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Options
from streams.cli.durations import shown_age, shown_duration
from streams.cli.output import json_line, printable, say, shortened

PIPE_WIDTH = 240
"""Columns of lines without a terminal."""
LABEL = 9
"""Characters of the column with the state."""
MAX_TITLE, MAX_RECEIVER, MAX_KEYWORD = 60, 80, 40
"""Characters to show."""
MAX_VALUE = 40
"""Characters of a value of a view."""
FLAPPING = "the page keeps going back to earlier texts: it has variants (set ignoreReturns)"


def print_json_list(found: Sequence[ListedSubscription], now: int) -> None:
    """Print each subscription as a line of JSON, with the fields of ``GET /subscriptions``."""
    for listed in found:
        print(json_line(listed_json(listed, now)))


def print_list(found: Sequence[ListedSubscription], now: int) -> None:
    """Print a few lines for each subscription, which are cut off at the terminal's width.

    A failing or lost document is red and has its reason, a flapping document yellow.
    """
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    for listed in found:
        for line in shown_lines(listed, now):
            console.print(line, no_wrap=True, overflow="ellipsis")
    say(f"{len(found)} subscriptions.")


def shown_lines(listed: ListedSubscription, now: int) -> Iterator[Text]:
    """Yield the lines of a subscription: the page, the options, then the receiver."""
    subscription = listed.subscription
    is_flapping = listed.flapping_until > now
    lost = listed.lost_since
    is_odd = is_flapping or listed.missing
    style = "red" if listed.failures or lost is not None else "yellow" if is_odd else "bold"
    title = f"  {shortened_text(listed.called, MAX_TITLE)}" if listed.called else ""
    state = "lost" if lost is not None and listed.state == "active" else listed.state
    yield _line(state, subscription.document_url, style).append(printable(title), "dim")
    missing = listed.missing if lost is None else f"lost {shown_age(now - lost)}: {listed.missing}"
    why = listed.reason or (listed.last_error if listed.failures else missing)
    why = why or listed.waiting_for
    if why is not None or is_flapping:
        yield _line("", why or FLAPPING, style)
    if listed.undo_until is not None:
        left = max(0, listed.undo_until - now) // 1000
        yield _line("", f"ends in {left} s; before that 'vokter undo' keeps it", "yellow")
    view = view_summary(subscription.options)
    if view:
        yield _line("", view)
    receiver = subscription.receiver.client_url or f"session {subscription.receiver.session}"
    keywords = shortened(shortened_text(each, MAX_KEYWORD) for each in wanted(subscription))
    yield _line("", f"{keywords} → {shortened_text(receiver, MAX_RECEIVER)}")
    if times := times_text(subscription.options):
        yield _line("", f"notified {times}")
    yield from (_line("", each) for each in _waiting(listed, now))
    if full := listed.without_room:
        last = shown_age(now - full.at)
        yield _line("", f"{without_room_text(full.count)}, last {last}", "yellow")
    tags = subscription.options.tags
    if tags:
        yield _line("", f"tags {', '.join(tags)}")
    if is_pages(subscription.url):
        yield _line("", f"{pages_name(subscription.url)}, id {subscription.id}", "dim")
        return
    yield _line("", f"{_checks(listed, now)}, id {subscription.id}", "dim")


def _checks(listed: ListedSubscription, now: int) -> str:
    """Return the interval of a page, or the end of its checks, and the last check."""
    options = listed.subscription.options
    checked = None if listed.last_check is None else shown_age(now - listed.last_check)
    if listed.ended is not None:
        last = f", last check {checked}" if checked else ""
        return f"ended {shown_age(now - listed.ended)}{last}"
    longest = options.max_interval
    up_to = f" to {shown_duration(longest)}" if longest else ""
    return f"every {shown_duration(options.interval)}{up_to}, last check {checked or 'never'}"


def _waiting(listed: ListedSubscription, now: int) -> Iterator[str]:
    """Yield waiting edits, and those dropped."""
    waiting = listed.waiting
    if waiting is None:
        return
    if waiting.changes:
        count = "1 change waits" if waiting.changes == 1 else f"{waiting.changes} changes wait"
        yield f"{count} to stand, since {shown_age(now - waiting.since)}"
    if waiting.dropped:
        count = "1 edit" if waiting.dropped == 1 else f"{waiting.dropped} edits"
        yield f"{count} did not stand, the last {shown_age(now - waiting.dropped_at)}: " + (
            waiting.reason
        )


def _line(state: str, text: str, style: str = "") -> Text:
    return Text(f"{state:<{LABEL}} ", style="dim").append(printable(text), style or "not dim")


def view_summary(options: Options) -> str:
    """Return the requests and reading of a page, empty if as usual.

    Of headers and waits there are the names, of a body the length, of steps the number.

    Example:
        >>> from schemas.records.views import Selector, ViewOptions
        >>> view_summary(Options(view=ViewOptions((Selector(css="#price"),), render=True)))
        'select #price; render'
    """
    types = {"documentContentType": options.content_type, "onStatus": list(options.on_status)}
    given = {name: value for name, value in types.items() if value} | nested_json(options.view)
    return "; ".join(_shown(name, value) for name, value in given.items())


def shortened_text(text: str, most: int = MAX_VALUE) -> str:
    """Return a text without its middle, if longer than ``most`` characters.

    Example:
        >>> shortened_text("https://example.org/giants/argus", 20)
        'https://ex…nts/argus'
    """
    end = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def _shown(name: str, value: Any) -> str:
    if value is True:
        return name
    if name == "body":
        return f"body of {len(value)} characters"
    if name == "steps":
        return f"{len(value)} steps"
    values = value if isinstance(value, list | dict) else [value]
    return f"{name} {shortened(map(_item, values))}"


def _item(value: Any) -> str:
    """Return a value of a list: of a selector its text, whatever the language."""
    while isinstance(value, dict):
        value = next(iter(value.values()), "")
    return shortened_text(str(value))
