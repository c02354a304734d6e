"""Notifications of a manager, and what its handlers make of them."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiokafka import ConsumerRecord

from connectors.client.handlers import NotificationHandlers
from connectors.client.inbox import Inbox
from connectors.dead_letters.writing import RawMessage
from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.changes import Diff, Returned
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from vokter import Session

URL = "https://example.org/"
DIFF = Diff("added", "argus", "Argus", "Argus sleeps")
NOTIFICATION = Notification(
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
    """Handlers that record their calls, and fail ``failures`` times."""

    calls: list[Any] = field(default_factory=list)
    failures: int = 0
    letters: list[RawMessage] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    async def changed(self, *arguments: Any) -> bool:
        self.calls.append(arguments)
        self.failures -= 1
        return self.failures < 0

    async def publish(self, letter: RawMessage) -> None:
        self.letters.append(letter)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def receive(self, value: bytes, handlers: NotificationHandlers | None = None) -> bool:
        given = handlers or NotificationHandlers(self.changed, self.changed)
        inbox = Inbox("desk", given, (1, 5), self.publish, self.sleep, Codec())
        record: Any = ConsumerRecord
        message = record(
            topic="vokter.notifications", partition=3, offset=42, timestamp=0, timestamp_type=0,
            key=b"client-1", value=value, checksum=None, serialized_key_size=0,
            serialized_value_size=0, headers=(("mine", b"x"),),
        )  # fmt: skip
        return await inbox.handle(message)


async def test_a_change_reaches_the_handler_with_url_content_type_session_and_matches() -> None:
    program = Program()
    assert await program.receive(wire.encode(NOTIFICATION))
    assert program.calls == [(URL, "text/html", Session("client-1"), (DIFF,))]


async def test_matches_have_the_title_of_the_page_and_say_that_it_returned() -> None:
    program, returned = Program(), Returned(since=7, times=3)
    titled = replace(NOTIFICATION, title="Giants", returned=returned)
    for each in (titled, NOTIFICATION):
        assert await program.receive(wire.encode(each))
    found = [matches for *_, matches in program.calls]
    assert [(each.title, each.returned) for each in found] == [("Giants", returned), ("", None)]


async def test_matches_have_the_name_of_the_subscription() -> None:
    program = Program()
    for each in (replace(NOTIFICATION, name="in stock"), NOTIFICATION):
        assert await program.receive(wire.encode(each))
    assert [matches.name for *_, matches in program.calls] == ["in stock", ""]


async def test_a_timeout_reaches_its_handler_without_matches() -> None:
    program = Program()
    assert await program.receive(wire.encode(replace(NOTIFICATION, status="timeout", diffs=())))
    assert program.calls == [(URL, "text/html", Session("client-1"))]


@pytest.mark.parametrize(
    "others",
    [
        wire.encode(replace(NOTIFICATION, manager="theirs")),
        wire.encode(replace(NOTIFICATION, receiver=Receiver(URL))),
        b"not a record",
    ],
    ids=["another manager's", "a webhook's", "unreadable"],
)
async def test_notifications_of_others_are_skipped(others: bytes) -> None:
    program = Program()
    assert not await program.receive(others)
    assert (program.calls, program.letters) == ([], [])


async def test_a_notification_that_succeeds_on_retry_does_not_become_a_dead_letter() -> None:
    program = Program(failures=2)
    assert await program.receive(wire.encode(NOTIFICATION))
    assert (len(program.calls), program.slept, program.letters) == (3, [1, 5], [])


async def test_a_notification_that_always_fails_becomes_a_dead_letter_like_any_other() -> None:
    program = Program(failures=99)
    assert await program.receive(wire.encode(NOTIFICATION))
    ((key, value, headers),) = program.letters
    assert (key, value, headers[0]) == (b"client-1", wire.encode(NOTIFICATION), ("mine", b"x"))
    found = {name.removeprefix("__connect.errors."): text.decode() for name, text in headers[1:]}
    assert (found["topic"], found["partition"], found["offset"]) == ("notifications", "3", "42")
    assert found["stage"] == found["connector.name"] == "desk"
    assert found["exception.class.name"] == "NotHandled"


async def test_a_loss_reaches_its_handler_with_its_reason_and_its_end_another() -> None:
    program = Program()
    handlers = NotificationHandlers(on_lost=program.changed, on_found=program.changed)
    lost = replace(NOTIFICATION, status="lost", diffs=(), reason="nothing matches")
    found = replace(NOTIFICATION, status="found", diffs=())
    for notification in (lost, found):
        assert await program.receive(wire.encode(notification), handlers)
    session = Session("client-1")
    assert program.calls == [(URL, "nothing matches", session), (URL, "text/html", session)]


async def test_a_notification_without_a_handler_is_skipped_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = Program()
    timeout = wire.encode(replace(NOTIFICATION, status="timeout", diffs=()))
    assert await program.receive(timeout, NotificationHandlers(program.changed))
    assert program.calls == []
    assert "no handler for 'timeout'" in caplog.text
