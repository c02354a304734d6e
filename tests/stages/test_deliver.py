"""The deliver stage: one POST after another until one is taken, or given up."""

from dataclasses import replace

import pytest

from schemas import wire
from schemas.answers import Answer
from schemas.facts import (
    ClientGone,
    Delivered,
    DeliveryFailed,
    Diff,
    Expire,
    Notification,
)
from streams.core.outcome import Outcome, Put
from streams.deliver import Deliver
from tests.fakes.events import event, no_rows

CLIENT = "http://client.test/hook"
GIVEN = "HTTP://Document.test/#part"
NOTIFICATION = Notification(
    id="n",
    change="c",
    subscription="s",
    manager="m",
    client_url=CLIENT,
    session=None,
    status="ok",
    url=GIVEN,
    content_type="text/html",
    diffs=(Diff("added", "k", "t", "s"),),
    truncated=False,
    at=1,
)
REFUSED = Answer(500, "answered 500")


class Receiver:
    """Gives its answers one after another."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.posts: list[tuple[str, Notification]] = []

    async def post(self, url: str, notification: Notification) -> Answer:
        self.posts.append((url, notification))
        return self.answers.pop(0)


async def deliver(receiver: Receiver, notification: Notification = NOTIFICATION) -> Outcome:
    stage = Deliver(receiver.post, lambda: 77, pauses=(0, 0, 0))
    outcome = await stage.handle(event(notification, topic="notifications"), no_rows)
    return Outcome(tuple(outcome.sends), outcome.puts)


def records(outcome: Outcome) -> list[object]:
    return [send.record for send in outcome.sends]


@pytest.mark.parametrize("status", [200, 204, 299])
async def test_a_notification_that_is_taken_is_delivered_and_remembered(status: int) -> None:
    receiver = Receiver(Answer(status))
    outcome = await deliver(receiver)
    fact = Delivered("n", "s", "m", CLIENT, 1, status, 77)
    (send,) = outcome.sends
    assert (send.topic, send.key, send.record) == ("deliveries", CLIENT, fact)
    assert outcome.puts == (Put(b"n", fact),)
    assert receiver.posts == [(CLIENT, NOTIFICATION)]


async def test_what_was_delivered_is_not_posted_again() -> None:
    receiver = Receiver(Answer(200))
    outcome = await deliver(receiver)
    rows = {put.key: wire.encode(put.record) for put in outcome.puts if put.record is not None}
    stage = Deliver(receiver.post, lambda: 78)
    assert await stage.handle(event(NOTIFICATION), lambda _, key: rows.get(key)) == Outcome()
    assert len(receiver.posts) == 1


async def test_a_later_attempt_may_succeed() -> None:
    outcome = await deliver(Receiver(REFUSED, Answer(None, "timed out"), Answer(201)))
    assert records(outcome) == [Delivered("n", "s", "m", CLIENT, 3, 201, 77)]


async def test_after_three_attempts_the_delivery_has_failed_with_the_last_reason() -> None:
    receiver = Receiver(Answer(None, "timed out"), REFUSED, Answer(302, "answered 302"))
    outcome = await deliver(receiver)
    assert records(outcome) == [DeliveryFailed("n", "s", "m", CLIENT, 3, "answered 302", 77)]
    assert outcome.puts == ()
    assert len(receiver.posts) == 3


async def test_a_receiver_that_is_gone_has_its_subscription_expired() -> None:
    receiver = Receiver(REFUSED, Answer(410, "answered 410"))
    outcome = await deliver(receiver)
    failed, gone, expire = outcome.sends
    assert failed.record == DeliveryFailed("n", "s", "m", CLIENT, 2, "answered 410", 77)
    assert isinstance(gone.record, ClientGone)
    assert (gone.record.manager, gone.record.client_url, gone.key) == ("m", CLIENT, CLIENT)
    assert {failed.topic, gone.topic} == {"deliveries"}
    canonical = "http://document.test/"
    assert (expire.topic, expire.key) == ("subscription-requests", canonical)
    assert isinstance(expire.record, Expire)
    assert (expire.record.url, expire.record.subscription) == (canonical, "s")
    assert "410" in expire.record.reason
    assert len(receiver.posts) == 2


async def test_a_session_is_not_posted_to() -> None:
    receiver = Receiver()
    told = replace(NOTIFICATION, client_url=None, session="me")
    assert await deliver(receiver, told) == Outcome((), ())


def test_notifications_of_one_client_are_handled_in_their_order() -> None:
    stage = Deliver(Receiver().post, lambda: 0)
    assert stage.key(event(NOTIFICATION)) == CLIENT
