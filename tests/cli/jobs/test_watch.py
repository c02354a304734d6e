"""The notifications that a running watch reads."""

from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from schemas.records.topic_names import MOVED
from streams.cli.app import app
from streams.cli.jobs.watch import Watch
from tests.fakes.notifications import NOTIFICATION

REQUEST = Subscribe(
    NOTIFICATION.url, NOTIFICATION.receiver, keywords=("x",), options=Options(interval=60)
)


async def messages(*values: bytes, headers: tuple[Any, ...] = ()) -> AsyncIterator[Any]:
    for value in values:
        yield SimpleNamespace(value=value, headers=headers)


def watching(consumer: Any) -> Watch:
    unused: Any = None
    return Watch(unused, unused, REQUEST, "s1", unused, consumer, Codec())


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
