"""The notifications that a running watch reads."""

from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.registry.codec import Codec
from schemas import wire
from schemas.requests import Subscribe
from schemas.subscriptions import Options
from streams.cli.app import app
from streams.cli.jobs.watch import Watch
from tests.fakes.notifications import NOTIFICATION


async def messages(*values: bytes) -> AsyncIterator[Any]:
    for value in values:
        yield SimpleNamespace(value=value)


async def test_what_no_watch_can_decode_ends_none(capsys: pytest.CaptureFixture[str]) -> None:
    unused: Any = None
    request = Subscribe(
        NOTIFICATION.url, NOTIFICATION.receiver, keywords=("x",), options=Options(interval=60)
    )
    others = wire.encode(replace(NOTIFICATION, receiver=replace(request.receiver, session="o")))
    consumer: Any = messages(b"no record", others, b"", wire.encode(NOTIFICATION))
    watch = Watch(unused, unused, request, "s1", unused, consumer, Codec())
    await watch.notifications()
    assert NOTIFICATION.diffs[0].keyword in capsys.readouterr().out


def test_a_watch_may_show_notices_of_failures() -> None:
    shown = CliRunner().invoke(app, ["watch", "--help"], terminal_width=200)
    assert "--notify-failures" in shown.output
