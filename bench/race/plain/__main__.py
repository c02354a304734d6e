"""A plain pipeline of Bytewax: fetch, compare, match, POST; state in memory, at most once.

Run by ``python -m bench.race.plain ORDER`` in an environment that has Bytewax alone. It is
something to compare with, not to use: it forgets all pages when it ends.
"""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

from bytewax import operators
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.run import cli_main

from bench.race.plain.checking import Known, any_of, compare, matching
from bench.race.plain.requests import Requests

LATE = timedelta(seconds=1)
"""Checks that are later than this delay all others."""


class Due(StatelessSourcePartition):  # type: ignore[misc]  # not in our environment
    """Each page once an interval, one after the other."""

    def __init__(self, pages: Sequence[str], interval: timedelta) -> None:
        self._pages = cycle(pages)
        self._pause = interval / len(pages)
        self._next = datetime.now(UTC)

    def next_batch(self) -> list[str]:
        """Return the page that is due."""
        self._next = max(self._next + self._pause, datetime.now(UTC) - LATE)
        return [next(self._pages)]

    def next_awake(self) -> datetime:
        """Return when the next one is due."""
        return self._next


class Pages(DynamicSource):  # type: ignore[misc]  # not in our environment
    """The pages of an order."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Due:
        """Return those of the only worker."""
        return Due(self._order["pages"], timedelta(seconds=self._order["interval"]))


class Posts(StatelessSinkPartition):  # type: ignore[misc]  # not in our environment
    """Sends POSTs that are neither signed nor retried."""

    def __init__(self, requests: Requests, hook: str) -> None:
        self._requests = requests
        self._hook = hook

    def write_batch(self, items: list[tuple[str, list[str]]]) -> None:
        """Send one for each page."""
        for url, lines in items:
            body = json.dumps({"url": url, "lines": lines}).encode()
            self._requests.send("POST", self._hook, {"Content-Type": "application/json"}, body)


class Webhook(DynamicSink):  # type: ignore[misc]  # not in our environment
    """The receiver of an order."""

    def __init__(self, requests: Requests, hook: str) -> None:
        self._requests = requests
        self._hook = hook

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Posts:
        """Return that of the only worker."""
        return Posts(self._requests, self._hook)


def pipeline(order: dict[str, Any]) -> Dataflow:
    """Return the dataflow of an order: ``pages``, ``interval`` (s), ``keywords``, ``hook``."""
    requests, keywords = Requests(), any_of(order["keywords"])

    def check(known: Known | None, url: str) -> tuple[Known | None, list[str]]:
        headers = {"If-None-Match": known.etag} if known and known.etag else {}
        answer = requests.send("GET", url, headers)
        if answer is None or answer.status != 200:
            return known, []
        return compare(known, answer.etag, answer.body)

    def match(lines: list[str]) -> list[str] | None:
        return matching(lines, keywords) or None

    flow = Dataflow("plain")
    due = operators.input("due", flow, Pages(order))
    keyed = operators.key_on("url", due, str)
    checked = operators.stateful_map("check", keyed, check)
    matched = operators.filter_map_value("match", checked, match)
    operators.output("post", matched, Webhook(requests, order["hook"]))
    return flow


if __name__ == "__main__":
    cli_main(pipeline(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
