"""The notifications that a running watch reads, the failures that it shows, and its end."""

from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.registry.codec import Codec
from connectors.stores.pages import ListedSubscription
from schemas.codec import wire
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscriptions import Options
from schemas.records.topic_names import MOVED
from streams.cli.app import app
from streams.cli.jobs.watch import StatusLines, TerminalWatch, WatchEnded
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription

URL = "https://example.org/giants"
WELL = ListedSubscription(subscription(), "active", None, None, None, 1, 0, None)
MISSING = replace(WELL, failures=1, last_error="HTTP 404")
REQUEST = Subscribe(
    NOTIFICATION.url, NOTIFICATION.receiver, keywords=("x",), options=Options(interval=60)
)


async def messages(*values: bytes, headers: tuple[Any, ...] = ()) -> AsyncIterator[Any]:
    for value in values:
        yield SimpleNamespace(value=value, headers=headers)


def watching(consumer: Any) -> TerminalWatch:
    unused: Any = None
    return TerminalWatch(unused, unused, REQUEST, "s1", unused, consumer, Codec())


async def test_what_no_watch_can_decode_ends_none(capsys: pytest.CaptureFixture[str]) -> None:
    others = wire.encode(replace(NOTIFICATION, receiver=replace(REQUEST.receiver, session="o")))
    await watching(messages(b"no record", others, b"", wire.encode(NOTIFICATION))).notifications()
    assert NOTIFICATION.diffs[0].keyword in capsys.readouterr().out


async def test_what_is_copied_because_partitions_are_added_is_shown_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy = messages(wire.encode(NOTIFICATION), headers=((MOVED, b"7"),))
    await watching(copy).notifications()
    assert capsys.readouterr().out == ""


def test_a_watch_may_show_notices_of_failures() -> None:
    shown = CliRunner().invoke(app, ["watch", "--help"], terminal_width=200)
    assert "--notify-failures" in shown.output


async def test_a_timeout_ends_the_watch() -> None:
    last = wire.encode(replace(NOTIFICATION, status="timeout", diffs=()))
    with pytest.raises(WatchEnded, match="failed too often"):
        await watching(messages(last)).notifications()


def test_a_failure_is_said_once_and_so_is_its_end() -> None:
    lines = StatusLines(URL)
    looks = (None, WELL, MISSING, replace(MISSING, failures=2), WELL, WELL)
    said = [list(lines.news(look)) for look in looks]
    assert [len(each) for each in said] == [0, 0, 1, 0, 1, 0]
    assert said[2][0].startswith(f"Cannot read {URL}: HTTP 404.")
    assert said[4] == [f"{URL} can be read again."]


def test_what_is_lost_is_said_once_and_so_is_that_it_is_found() -> None:
    lines = StatusLines(URL)
    missed = replace(WELL, missing="nothing matches")
    lost = replace(missed, lost_since=1)
    said = [list(lines.news(look)) for look in (WELL, missed, lost, lost, WELL, WELL)]
    assert [len(each) for each in said] == [0, 0, 1, 0, 1, 0]
    assert said[2] == [
        f"{URL} has nothing of what is watched: nothing matches. Vokter keeps looking."
    ]
    assert said[4] == [f"{URL} has what is watched again."]


def test_what_a_page_waits_for_is_said_once_until_it_is_fetched() -> None:
    lines = StatusLines(URL)
    waits = replace(WELL, waiting_since=1, waiting_for="no process was free")
    still = replace(waits, waiting_for="its host")
    said = [list(lines.news(look)) for look in (waits, still, WELL, still)]
    assert said[0] == [f"{URL} is due and waits: no process was free."]
    assert [len(each) for each in said] == [1, 0, 0, 1]


def test_another_reason_is_said() -> None:
    lines = StatusLines(URL)
    refused = replace(MISSING, last_error="robots.txt forbids it")
    assert [len(list(lines.news(look))) for look in (MISSING, refused)] == [1, 1]


def test_a_watch_that_expired_ends_with_its_reason() -> None:
    ended = replace(MISSING, state="expired", reason="failed 10 times in a row")
    with pytest.raises(WatchEnded, match=r"failed 10 times in a row\. Its last failure: HTTP 404"):
        list(StatusLines(URL).news(ended))


async def test_the_end_of_a_watch_cancels_the_subscription_of_its_name() -> None:
    watch, asked = watching(messages()), list[Any]()

    async def ask(request: Any) -> None:
        asked.append(request)

    watch.request = replace(REQUEST, name="giants")
    client: Any = SimpleNamespace(ask=ask)
    watch.client = client
    await watch.end()
    assert asked == [Cancel(REQUEST.document_url, REQUEST.receiver, name="giants")]
