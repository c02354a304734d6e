"""Requests that are refused before a topic would keep them."""

from dataclasses import replace
from typing import Any

import pytest

from connectors.kafka.requests import RequestSender
from schemas.records.requests import Subscribe
from schemas.records.subscription_facts import Rejected
from schemas.records.subscriptions import Receiver

REQUEST = Subscribe("https://example.org/", Receiver("https://example.com/hook"), keywords=("a",))


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (replace(REQUEST, document_url="https://jo:hush@example.org/"), 1),
        (replace(REQUEST, receiver=Receiver("https://jo:hush@example.com/hook")), 2),
    ],
)
async def test_a_password_in_a_url_is_refused_and_sent_to_no_topic(
    request_: Subscribe, code: int
) -> None:
    never_started: Any = None
    answer = await RequestSender(never_started, "requests", "facts").ask(request_)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.url) == (code, "https://example.org/")
    assert "view.credentials" in answer.detail
    assert "hush" not in repr(answer)
