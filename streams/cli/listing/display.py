"""Shows subscriptions as a table or as lines of JSON."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from connectors.api.listed import listed_json, time_or_null
from connectors.stores.pages import ListedSubscription
from streams.cli.durations import shown_duration
from streams.cli.output import json_line, printable, say

PIPE_WIDTH = 240
"""Columns of a table that is not on a terminal."""


FLAPPING = "the page keeps going back to earlier texts: it has variants (set ignoreReturns)"


def print_lines(found: Sequence[ListedSubscription], now: int) -> None:
    """Print each subscription as a line of JSON, with the fields of ``GET /subscriptions``."""
    for listed in found:
        print(json_line(listed_json(listed, now)))


def print_table(found: Sequence[ListedSubscription], now: int) -> None:
    """Print a table; a document that fails is red and has its reason, a flapping one is yellow."""
    table = Table("state", "every", "document", "notifies", "keywords", "last check", "id")
    for listed in found:
        is_flapping = listed.flapping_until > now
        style = "red" if listed.failures else "yellow" if is_flapping else None
        table.add_row(*map(printable, _cells(listed, is_flapping)), style=style)
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    Console(width=width, markup=False).print(table)
    say(f"{len(found)} subscriptions.")


def _cells(listed: ListedSubscription, is_flapping: bool) -> tuple[str, ...]:
    subscription = listed.subscription
    why = listed.reason or (listed.last_error if listed.failures else listed.waiting_for)
    if why is None and is_flapping:
        why = FLAPPING
    return (
        listed.state if why is None else f"{listed.state}: {why}",
        shown_duration(subscription.options.interval),
        subscription.document_url,
        subscription.receiver.client_url or subscription.receiver.session or "",
        ", ".join(subscription.keywords),
        time_or_null(listed.last_check) or "never",
        subscription.id,
    )
