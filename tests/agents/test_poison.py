"""Whatever a schema lets through: an agent refuses it or handles it, and goes on either way.

What goes out must be what the broker takes: an outcome that cannot be written would end
the process, and end it again after every start.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.sqlite.read_side import operations
from connectors.stores.sqlite.schema import migrate
from schemas.codec import wire
from schemas.codec.wire import Undecodable
from schemas.records.answers import Response, WebhookResponse
from schemas.records.fetches import Due, FetchDue
from schemas.records.notifications import Notification
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.topic_names import FORWARDED
from schemas.records.topics import (
    ATTEMPTS,
    CHANGES,
    CRAWLS,
    DELIVERIES,
    FETCHES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    TOPICS,
    Topic,
)
from streams.agents.crawl.agent import CrawlProcessor
from streams.agents.deliver.agent import DeliverProcessor
from streams.agents.deliver.notifications import MisdirectedError
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.agents.ticker.agent import TickerProcessor
from streams.values.outcome import Event, Outcome
from tests.fakes.events import event, no_rows, owned
from tests.fakes.outgoing import without_digests
from tests.fakes.records import wild
from tests.fakes.world import Scene
from tests.harness.examples import examples

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000
LIMITS = {topic.name: 16 * MEGABYTE if topic.large else MEGABYTE for topic in TOPICS}
URL = "http://d.test/"
NOW = 1_700_000_000_000
MARKS = st.binary(max_size=30) | st.from_regex(rb"-?[0-9]{1,20}:[0-9]{1,20}:[0-9]{1,20}")
often = examples(150)


def any_of(*topics: Topic) -> st.SearchStrategy[Any]:
    kinds = [(topic, kind) for topic in topics for kind in topic.kinds]
    return st.sampled_from(kinds).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), wild(pair[1]), st.none() | MARKS)
    )


def read(topic: Topic, record: Any, mark: bytes | None) -> Event | None:
    """The event that an agent gets; None if the message becomes a dead letter before that."""
    value = wire.encode(record)
    try:
        fact = wire.decode(value, *topic.kinds)
    except Undecodable:
        return None
    headers = () if mark is None else ((FORWARDED, mark),)
    return event(fact, topic=topic.name, timestamp=NOW, headers=headers, value=value)


def writable(outcome: Outcome) -> int:
    """Check what goes out as the broker would; how many messages it is."""
    count = 0
    for send in outcome.sends:
        record = send.record
        value = record if isinstance(record, bytes | None) else wire.encode(record)
        key = send.key.encode() if isinstance(send.key, str) else send.key
        assert len(value or b"") + len(key or b"") < LIMITS[send.topic]
        count += 1
    for put in outcome.puts:
        assert put.record is None or len(wire.encode(put.record)) < MEGABYTE
    return count


def decided(agent: Any, events: Iterable[Event | None]) -> Iterator[Outcome]:
    """What a lane makes of events, part by part; an error is a dead letter."""
    for each in events:
        try:
            outcome = Outcome() if each is None else agent.decide(each)
            parts = [outcome, *(outcome.rest or ())]
        except Exception:  # noqa: BLE001 - as the lanes do
            parts = []
        yield from parts


@often
@given(st.lists(any_of(SUBSCRIPTIONS), max_size=6))
def test_ticker_goes_on(given_facts: list[Any]) -> None:
    agent = TickerProcessor(lambda host: 0)
    agent.begin(0)
    for outcome in decided(agent, [read(*each) for each in given_facts]):
        assert writable(outcome) <= 6
    ticked = agent.tick(0, NOW + 61_000)
    assert sum(map(writable, (ticked, *(ticked.rest or ())))) <= 6
    assert agent.tick(0, NOW + 61_000) == Outcome()


@often
@given(st.lists(any_of(SUBSCRIPTION_REQUESTS, CHANGES), max_size=6))
def test_match_goes_on(given_facts: list[Any]) -> None:
    agent = MatchProcessor(partition_of=lambda url: 0, rules=Rules(1), partitions=4)
    agent.begin(0)
    for outcome in decided(agent, [read(*each) for each in given_facts]):
        assert writable(outcome) <= 12
    request = Subscribe(URL, Receiver(session="s"), request_id="good", keywords=("argus",))
    assert writable(agent.decide(event(request, timestamp=NOW))) == 1


@often
@given(st.lists(any_of(SUBSCRIPTIONS, CRAWLS), max_size=6))
def test_crawl_goes_on(given_facts: list[Any]) -> None:
    agent = CrawlProcessor()
    agent.begin(0)
    for outcome in decided(agent, [read(*each) for each in given_facts]):
        assert writable(outcome) <= 1


@often
@given(any_of(NOTIFICATIONS, ATTEMPTS))
async def test_deliver_goes_on(given_fact: Any) -> None:
    async def post(url: str, notification: Notification) -> WebhookResponse:
        return WebhookResponse(410, "gone")

    found = read(*given_fact)
    if found is not None:
        agent = DeliverProcessor(effects=without_digests(post), clock=lambda: NOW, schedule=[0])
        await agent.assigned([owned(0)])
        # A redelivery of what this receiver has never been sent is a dead letter.
        with suppress(MisdirectedError):
            assert writable(await agent.handle(found, no_rows)) <= 3


@often
@given(any_of(FETCHES))
async def test_fetch_goes_on(given_fact: Any) -> None:
    scene, found = Scene(max_failures=1), read(*given_fact)
    scene.web.pages = Everything()
    agent = FetchProcessor(scene.effects(), lambda host: 0)
    if found is not None:
        assert writable(await agent.handle(found, no_rows)) == 0
    await agent.handle(event(FetchDue((Due(URL, "good", NOW),))), no_rows)
    assert scene.web.requests[-1][0] == URL


class Everything(dict[str, Response | Exception]):
    """A web with the same page everywhere."""

    def __missing__(self, url: str) -> Response:
        return Response(200, b"zeus", "text/plain")


@often
@given(st.lists(any_of(SUBSCRIPTIONS, CHANGES, NOTIFICATIONS, DELIVERIES), max_size=4))
def test_the_read_side_stores_what_is_valid(given_facts: list[Any]) -> None:
    database = sqlite3.connect(":memory:")
    migrate(database, Path(":memory:"))
    events = [read(*each) for each in given_facts]
    for operation in operations([each.fact for each in events if each is not None]):
        operation(database)
    database.close()


@pytest.mark.parametrize(
    "mark",
    [
        b"",
        b"x",
        b"1:2",
        b"1:-2:3",
        b"1:9999999999999999999:3",
        b"0:2:3",  # this very partition: nothing is forwarded to where it is
        b"4:2:3",  # there are four
        b"1:2:1700000070000",  # after it came
        b"\xd9\xa1:2:3",  # a digit, but not of ASCII
        None,
    ],
)
def test_a_mark_that_no_forward_writes_is_refused(mark: Any) -> None:
    agent = MatchProcessor(partition_of=lambda url: 0, rules=Rules(1), partitions=4)
    agent.begin(0)
    request = Subscribe(URL, Receiver(session="s"), request_id="1", keywords=("argus",))
    with pytest.raises(Exception, match="no forward writes"):
        agent.decide(event(request, timestamp=NOW, headers=((FORWARDED, mark),)))
    assert writable(agent.decide(event(request, timestamp=NOW))) == 1
