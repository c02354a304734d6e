"""Whose a notification is, and what becomes of it."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiokafka import ConsumerRecord

from connectors.client.handlers import NotificationHandlers
from connectors.client.inbox import Inbox
from connectors.dead_letters.writing import RawMessage
from connectors.registry.codec import Codec
from schemas import wire
from schemas.facts import (
    Diff,
    Notification,
    Receiver,
)
from vokter import Session

URL = "https://example.org/"
DIFF = Diff("added", "argus", "Argus", "Argus sleeps")
TOLD = Notification(
    "n",
    "c",
    "s",
    "desk",
    Receiver(session="client-1"),
    "ok",
    URL,
    "text/html",
    (DIFF,),
    False,
    7,
    0,
    0,
    "w",
    test=False,
)


@dataclass
class Program:
    """Handlers that note their calls, and fail as long as there are ``failures``."""

    calls: list[Any] = field(default_factory=list)
    failures: int = 0
    letters: list[RawMessage] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    async def changed(self, *told: Any) -> bool:
        self.calls.append(told)
        self.failures -= 1
        return self.failures < 0

    async def bury(self, letter: RawMessage) -> None:
        self.letters.append(letter)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def told(self, value: bytes, handlers: NotificationHandlers | None = None) -> bool:
        given = handlers or NotificationHandlers(self.changed, self.changed)
        inbox = Inbox("desk", given, (1, 5), self.bury, self.sleep, Codec())
        record: Any = ConsumerRecord
        message = record(
            topic="vokter.notifications", partition=3, offset=42, timestamp=0, timestamp_type=0,
            key=b"client-1", value=value, checksum=None, serialized_key_size=0,
            serialized_value_size=0, headers=(("mine", b"x"),),
        )  # fmt: skip
        return await inbox.handle(message)


async def test_a_change_is_told_with_url_content_type_session_and_matches() -> None:
    program = Program()
    assert await program.told(wire.encode(TOLD))
    assert program.calls == [(URL, "text/html", Session("client-1"), (DIFF,))]


async def test_a_timeout_is_told_without_matches() -> None:
    program = Program()
    assert await program.told(wire.encode(replace(TOLD, status="timeout", diffs=())))
    assert program.calls == [(URL, "text/html", Session("client-1"))]


@pytest.mark.parametrize(
    "others",
    [
        wire.encode(replace(TOLD, manager="theirs")),
        wire.encode(replace(TOLD, receiver=Receiver(URL))),
        b"no record of ours",
    ],
    ids=["another manager's", "a webhook's", "unreadable"],
)
async def test_what_is_not_the_managers_is_passed_over(others: bytes) -> None:
    program = Program()
    assert not await program.told(others)
    assert (program.calls, program.letters) == ([], [])


async def test_a_failed_notification_is_tried_again_and_then_not_buried() -> None:
    program = Program(failures=2)
    assert await program.told(wire.encode(TOLD))
    assert (len(program.calls), program.slept, program.letters) == (3, [1, 5], [])


async def test_one_that_always_fails_becomes_a_dead_letter_as_the_stages_write_them() -> None:
    program = Program(failures=99)
    assert await program.told(wire.encode(TOLD))
    ((key, value, headers),) = program.letters
    assert (key, value, headers[0]) == (b"client-1", wire.encode(TOLD), ("mine", b"x"))
    found = {name.removeprefix("__connect.errors."): text.decode() for name, text in headers[1:]}
    assert (found["topic"], found["partition"], found["offset"]) == ("notifications", "3", "42")
    assert found["stage"] == found["connector.name"] == "desk"
    assert found["exception.class.name"] == "NotHandled"


async def test_a_kind_without_a_handler_is_passed_over_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = Program()
    timeout = wire.encode(replace(TOLD, status="timeout", diffs=()))
    assert await program.told(timeout, NotificationHandlers(program.changed))
    assert program.calls == []
    assert "no handler for 'timeout'" in caplog.text
