"""A dead letter has the original bytes, and where and why it failed."""

from dataclasses import replace
from typing import Any

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from connectors.dead_letters.record import CUT, DeadLetter
from connectors.dead_letters.writing import KEPT_BYTES
from connectors.kafka.access import MAX_MESSAGE_BYTES
from schemas.codec.wire import Undecodable
from streams.engine.runners.handling import dead_letter
from streams.values.outcome import Event

EVENT = Event("in", 3, 42, 7, b"\xffkey", b"\0value", (("mine", b"x"),), None)


def headers(error: Exception) -> dict[str, str]:
    (send,) = dead_letter("match", EVENT, error).sends
    return {name: value.decode() for name, value in send.headers}


def test_bytes_key_and_headers_are_as_they_were_found() -> None:
    outcome = dead_letter("match", EVENT, Undecodable("why"))
    (send,) = outcome.sends
    assert (send.topic, send.key, send.record) == ("dead-letters", b"\xffkey", b"\0value")
    assert send.headers[0] == ("mine", b"x")
    assert outcome.puts == ()


def test_the_headers_say_where_and_why() -> None:
    assert headers(Undecodable("the value is empty")) == {
        "mine": "x",
        "__connect.errors.topic": "in",
        "__connect.errors.partition": "3",
        "__connect.errors.offset": "42",
        "__connect.errors.connector.name": "match",
        "__connect.errors.stage": "match",
        "__connect.errors.exception.class.name": "Undecodable",
        "__connect.errors.exception.message": "the value is empty",
    }


def test_a_bug_is_named_with_its_kind_and_a_long_reason_is_cut() -> None:
    assert headers(KeyError("x"))["__connect.errors.exception.message"] == "KeyError('x')"
    assert "KeyError: 'x'" in headers(KeyError("x"))["__connect.errors.exception.stacktrace"]
    long = headers(Undecodable("x" * 10_000))["__connect.errors.exception.message"]
    assert len(long) == 2000


def test_any_text_can_be_a_reason() -> None:
    for error in (ValueError("\ud800"), Undecodable("\ud800")):
        assert headers(error)["__connect.errors.exception.message"]


class Message:
    """A dead letter as the consumer returns it."""

    partition, offset, timestamp = 1, 2, 3

    def __init__(self, event: Event) -> None:
        (send,) = dead_letter("match", event, Undecodable("why")).sends
        self.key, self.value, self.headers = send.key, send.record, send.headers


@pytest.mark.parametrize(
    "event",
    [
        EVENT,
        replace(EVENT, key=None, headers=()),
        replace(EVENT, value=None),
        replace(EVENT, headers=(("__connect.errors.topic", b"forged"), ("a", b""), ("a", b"2"))),
    ],
)
def test_what_was_found_is_separated_from_what_was_added(event: Event) -> None:
    message: Any = Message(event)
    letter = DeadLetter.of(message)
    assert (letter.key, letter.value, letter.headers) == (event.key, event.value, event.headers)
    assert letter.origin == ("in", 3, 42)
    assert letter.whole


@pytest.mark.parametrize(
    "event",
    [
        replace(EVENT, value=b"v" * (MAX_MESSAGE_BYTES - 200)),
        replace(EVENT, key=b"k" * (MAX_MESSAGE_BYTES - 200)),
        replace(EVENT, headers=(("h", b"v" * (MAX_MESSAGE_BYTES - 200)),)),
        replace(EVENT, headers=(("h" * (MAX_MESSAGE_BYTES - 200), b""),)),
        replace(EVENT, headers=tuple([("h", b"")] * 1_600_000)),
    ],
    ids=["value", "key", "header", "header's name", "many headers"],
)
def test_what_is_too_large_is_cut_so_that_the_letter_can_be_written(event: Event) -> None:
    (send,) = dead_letter("match", event, ValueError("x" * 100_000)).sends
    assert isinstance(send.record, bytes)
    size = DefaultRecordBatchBuilder.estimate_size_in_bytes(
        send.key, send.record, list(send.headers)
    )
    assert size < MAX_MESSAGE_BYTES
    assert send.record == (event.value or b"")[:KEPT_BYTES]
    assert int(dict(send.headers)[CUT]) > MAX_MESSAGE_BYTES - 100_000
    message: Any = Message(event)
    assert not DeadLetter.of(message).whole


def test_what_had_neither_key_nor_value_can_still_be_sent() -> None:
    message: Any = Message(replace(EVENT, key=None, value=None))
    letter = DeadLetter.of(message)
    assert (letter.key, letter.value, letter.headers) == (None, b"", EVENT.headers)
    assert not letter.whole


def test_a_letter_that_others_wrote_says_what_it_can() -> None:
    message: Any = Message(EVENT)
    message.headers = (("__connect.errors.topic", b"in"), ("x", b"y"))
    assert DeadLetter.of(message).origin is None
    message.headers = ()
    assert DeadLetter.of(message).origin is None
    assert DeadLetter.of(message).reason == ""
