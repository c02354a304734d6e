"""Subscriptions as lines of JSON, there and back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec.json_values import InvalidRequestBody
from schemas.records.names import canonical_name
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.match.register.requests import CheckedRequest, Rules, check
from streams.agents.match.register.transfer import Wish, agrees, read, written
from tests.fakes.variants import varied

URL = "http://document.test/"
SUBSCRIPTION = Subscription(
    id="1", watch="1", manager="desk", document_url=URL + "#x", url=URL,
    receiver=Receiver("http://client.test/"), keywords=("zeus", "père"),
    options=Options(
        interval=90, ignore_added=True, enable_stemming=True, ignore_case=True, snippet_offset=7
    ),
    created=5, rotation=2, name="in stock",
)  # fmt: skip


def line(**fields: Any) -> bytes:
    return json.dumps({"documentUrl": URL, "session": "me", "keywords": ["a"]} | fields).encode()


def test_a_line_has_rests_names_and_no_secret() -> None:
    assert written(SUBSCRIPTION) == {
        "id": "1",
        "documentUrl": URL + "#x",
        "clientUrl": "http://client.test/",
        "manager": "desk",
        "name": "in stock",
        "keywords": ("zeus", "père"),
        "onStatus": (),
        "interval": 90,
        "ignoreAdded": True,
        "ignoreRemoved": False,
        "ignoreReturns": False,
        "ignoreNoise": False,
        "notifyMoves": False,
        "notifyDropped": False,
        "scope": "sentence",
        "enableStemming": True,
        "filterStopwords": False,
        "ignoreCase": True,
        "snippetOffset": 7,
        "notifyFailures": False,
        "failingAfter": 1,
        "tags": (),
        "summary": False,
        "paused": False,
    }


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
subscriptions = st.builds(
    varied,
    st.just(SUBSCRIPTION),
    keywords=st.lists(texts.map(lambda text: f"a{text}"), min_size=1, max_size=3).map(tuple),
    content_type=st.none() | texts.map(lambda text: f"t{text}"),
    interval=st.integers(1, 10**6),
    ignore_added=st.just(False),
    ignore_removed=st.booleans(),
    paused=st.booleans(),
    manager=texts.map(lambda text: f"m{text}"),
    name=texts.filter(str.isprintable).map(canonical_name),
)


def is_there(subscription: Subscription, wish: Wish) -> bool:
    checked = check(wish.request, Rules(0))
    assert isinstance(checked, CheckedRequest), checked
    return agrees(subscription, checked, paused=wish.paused)


@given(subscriptions, st.booleans())
def test_what_was_written_asks_for_what_there_is(
    subscription: Subscription, has_session: bool
) -> None:
    if has_session:
        subscription = varied(subscription, client_url=None, session="http://me/")
    wish = read(json.dumps(written(subscription)).encode(), None)
    assert is_there(subscription, wish)
    assert wish.request.request_id is None
    assert not is_there(replace(subscription, paused=not wish.paused), wish)
    assert not is_there(varied(subscription, interval=subscription.options.interval + 1), wish)


def test_a_line_by_hand_has_the_defaults_of_a_subscribe() -> None:
    wish = read(line(requestId="old", id="1"), None)
    assert wish == Wish(Subscribe(URL, Receiver(session="me"), keywords=("a",)), paused=False)


def test_a_line_may_be_read_for_another_manager() -> None:
    assert read(line(manager="desk"), "other").request.manager == "other"
    assert read(line(manager="desk"), None).request.manager == "desk"


def test_a_client_url_and_keywords_agree_as_the_register_keeps_them() -> None:
    sloppy = json.dumps(written(SUBSCRIPTION) | {
        "clientUrl": "HTTP://client.test:80", "keywords": ["zeus", "-", "père"],
    }).encode()  # fmt: skip
    assert is_there(SUBSCRIPTION, read(sloppy, None))


@pytest.mark.parametrize(
    ("given_line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[]", "a JSON object"),
        (line(paused=1), "paused: true or false"),
        (line(interval="60"), "interval: a whole number"),
        (line(intervall=60), "intervall: there is no such field; did you mean interval"),
    ],
)
def test_a_line_that_is_none_says_why(given_line: bytes, reason: str) -> None:
    with pytest.raises(InvalidRequestBody, match=reason):
        read(given_line, None)
