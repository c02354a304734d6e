"""A dead letter has the original bytes, and where and why it failed."""

from schemas.wire import Undecodable
from streams.core.outcome import Event
from streams.engine.dead_letters import dead_letter

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
        "__connect.errors.stage": "match",
        "__connect.errors.exception.class.name": "Undecodable",
        "__connect.errors.exception.message": "the value is empty",
    }


def test_a_bug_is_named_with_its_kind_and_a_long_reason_is_cut() -> None:
    assert headers(KeyError("x"))["__connect.errors.exception.message"] == "KeyError('x')"
    long = headers(Undecodable("x" * 10_000))["__connect.errors.exception.message"]
    assert len(long) == 2000


def test_any_text_can_be_a_reason() -> None:
    for error in (ValueError("\ud800"), Undecodable("\ud800")):
        assert headers(error)["__connect.errors.exception.message"]
