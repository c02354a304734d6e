"""What cannot be handled is kept as it was found, and holds nothing up."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiokafka import AIOKafkaProducer, ConsumerRecord

from connectors.dead_letters.recent import PER_PARTITION, DeadLetterDesk, RecentLetter
from connectors.dead_letters.record import CUT, DeadLetterError
from connectors.kafka.access import MAX_MESSAGE_BYTES
from schemas.codec import versions, wire
from schemas.records.claims import StoreClaimed
from schemas.records.deliveries import Attempt, Redeliver
from schemas.records.fetches import FetchDue
from schemas.records.requests import Expire, Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import (
    ATTEMPTS,
    CHANGES,
    DEAD_LETTERS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
)
from streams.app import NEEDED_AGENTS
from streams.effects.connections import kafka_access
from tests.fakes.notifications import NOTIFICATION
from tests.harness.commands import vokter
from tests.harness.facts import Messages, producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import until

REASON = "__connect.errors.exception.message"
AGENT = "__connect.errors.stage"

UNKNOWN_SCHEMA = b"\xc3\x01" + bytes(8) + b"\x02\x04"
LARGE = b"\xc3\x01" + b"x" * 900_000
HEADERS = [("trace", b"\xff\x00"), ("__connect.errors.topic", b"forged"), ("trace", b"2")]


def _header(kind: type[Any]) -> bytes:
    return next(schema.header for schema in versions.schemas() if schema.kind is kind)


BAD: dict[str, bytes | None] = {
    "random bytes": b"\x07" + os.urandom(40),
    "an unknown schema": UNKNOWN_SCHEMA,
    "a record cut short": wire.encode(
        Subscribe("http://127.0.0.1/", Receiver(), keywords=("argus",))
    )[:-3],
    "a record of another topic": wire.encode(StoreClaimed("s", "p", 1, replaces=False)),
    "an array bomb": _header(FetchDue) + b"\xff\xff\xff\xff\x0f",
    "a negative length": _header(Expire) + b"\x01rest",
    "a huge length": _header(Expire) + b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f",
    "a megabyte": LARGE,
    "JSON cut short": b'{"documentUrl": ',
    "JSON with a name twice": b'{"documentUrl": "http://127.0.0.1/", "documentUrl": "http://b/"}',
    "JSON with NaN": b'{"documentUrl": "http://127.0.0.1/", "more": NaN}',
    "JSON with a huge number": b'{"interval": ' + b"9" * 5000 + b"}",
    "100,000 brackets": b'{"keywords": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a surrogate in bytes": b'{"documentUrl": "http://127.0.0.1/\xed\xa0\x80"}',
    "NUL characters": bytes(100),
    "an empty value": b"",
    "no value": None,
}
MISTAKES: dict[str, bytes | None] = {
    "JSON of a wrong shape": json.dumps({"documentUrl": 7, "keywords": "argus"}).encode(),
    "JSON with an unknown action": b'{"action": "destroy", "documentUrl": "http://127.0.0.1/"}',
    "a lone surrogate": b'{"documentUrl": "http://127.0.0.1/", "keywords": ["\\ud800"]}',
}
"""Where JSON is read, these are requests with a mistake, which are rejected."""
INPUTS = {topic.name: topic for agent in NEEDED_AGENTS.values() for topic in agent.reads}


@pytest.mark.parametrize("name", INPUTS)
async def test_what_cannot_be_read_becomes_a_dead_letter_on_every_topic(
    shared: Deployment, rest: Rest, name: str
) -> None:
    topic, key = shared.settings.topic_prefix + name, uuid4().bytes
    agent = next(agent for agent, w in NEEDED_AGENTS.items() if INPUTS[name] in w.reads)
    bad = list((BAD if INPUTS[name].allow_json else BAD | MISTAKES).values())
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        producer(shared.settings) as kafka,
    ):
        for value in bad:
            await kafka.send_and_wait(topic, value, key=key, partition=1, headers=HEADERS)
        neither = kafka.create_batch()  # send() refuses what has neither key nor value
        neither.append(key=None, value=None, timestamp=None, headers=[("only", key)])
        await (await kafka.send_batch(neither, topic, partition=1))

        def found() -> list[ConsumerRecord]:
            return [m for m in letters.seen if m.key == key or ("only", key) in m.headers]

        wanted = len(bad) + 1
        seen = await until(lambda: f if len(f := found()) >= wanted else None, "all are letters")
    assert {dict(m.headers)[AGENT] for m in seen} == {agent.encode()}, "no other reports them, too"
    whole = [m for m in seen if m.key == key]
    assert [m.value for m in whole] == bad
    assert all(list(m.headers[:3]) == HEADERS for m in whole)
    assert {dict(m.headers)["__connect.errors.topic"] for m in seen} == {name.encode()}
    assert all(dict(m.headers)[REASON] for m in seen)


async def test_the_newest_are_listed_for_the_page_and_put_back_once(shared: Deployment) -> None:
    settings, key = shared.settings, uuid4().bytes
    access, topic = kafka_access(settings), settings.topic_prefix + ATTEMPTS.name
    desk = DeadLetterDesk(
        access, settings.topic_prefix, {ATTEMPTS.name}, clock=lambda: 7, monotonic=lambda: 0.0
    )
    stranger = DeadLetterDesk(
        access, settings.topic_prefix, set(), clock=lambda: 7, monotonic=lambda: 0.0
    )
    async with reading(settings, DEAD_LETTERS) as letters, producer(settings) as kafka:

        async def listed(count: int) -> list[RecentLetter]:
            def mine() -> list[ConsumerRecord]:
                return [m for m in letters.seen if m.key == key]

            seen = await until(lambda: m if len(m := mine()) >= count else None, "all are letters")
            ids = {f"{each.partition}:{each.offset}" for each in seen}
            return [each for each in (await desk.recent()).letters if each.id in ids]

        for _ in range(PER_PARTITION + 1):
            await kafka.send_and_wait(topic, UNKNOWN_SCHEMA, key=key, partition=1)
        found = await listed(PER_PARTITION + 1)
        assert 0 < len(found) <= PER_PARTITION
        newest = found[0]
        assert (newest.agent, newest.start) == ("deliver", UNKNOWN_SCHEMA)
        with pytest.raises(DeadLetterError, match="from no topic of Vokter's"):
            await stranger.replay(newest.id)
        await desk.replay(newest.id)
        with pytest.raises(DeadLetterError, match="put back already"):
            await desk.replay(newest.id)
        again = await listed(PER_PARTITION + 2)
        assert {each.id: each.replayed for each in again}[newest.id] == 7
    with pytest.raises(DeadLetterError, match="is no dead letter"):
        await desk.replay("nothing")


async def test_bad_messages_on_all_topics_hold_no_change_up(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    async with producer(shared.settings) as kafka:
        for name in INPUTS:
            for partition in range(shared.settings.partitions):
                for value in (BAD | MISTAKES).values():
                    full = shared.settings.topic_prefix + name
                    await kafka.send(full, value, key=b"bad", partition=partition)
        await kafka.flush()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()


async def test_a_letter_that_is_too_large_for_its_topic_is_cut_and_says_so(
    shared: Deployment, rest: Rest
) -> None:
    key, topic = uuid4().bytes, shared.settings.topic_prefix + CHANGES.name
    value = b"\x07" * (MAX_MESSAGE_BYTES - 1000)
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        AIOKafkaProducer(
            bootstrap_servers=shared.settings.kafka, max_request_size=MAX_MESSAGE_BYTES
        ) as kafka,
    ):
        sent = await kafka.send_and_wait(topic, value, key=key, partition=2)
        place = {
            ("__connect.errors.topic", CHANGES.name.encode()),
            ("__connect.errors.partition", b"2"),
            ("__connect.errors.offset", str(sent.offset).encode()),
        }

        def given_up() -> list[ConsumerRecord]:
            return [letter for letter in letters.seen if place <= set(letter.headers)]

        (letter,) = await until(given_up, "match has given it up")
    assert value.startswith(letter.value)
    assert int(dict(letter.headers)[CUT]) > len(value)


async def test_letters_are_listed_shown_and_put_back_byte_for_byte(
    shared: Deployment, rest: Rest, tmp_path: Path
) -> None:
    env, name = environment(shared.settings), f"trace-{uuid4().hex}"
    topic = shared.settings.topic_prefix + SUBSCRIPTIONS.name
    value, headers = b"\x00\xff poison \x1b[31m", [("trace", name.encode()), ("__x", b"")]
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        reading(shared.settings, SUBSCRIPTIONS) as facts,
        producer(shared.settings) as kafka,
    ):

        def mine(messages: Messages) -> list[ConsumerRecord]:
            return [m for m in messages.seen if headers[0] in m.headers]

        await kafka.send_and_wait(topic, value, key=b"\xfekey", partition=3, headers=headers)
        (letter,) = await until(lambda: mine(letters), "it is a letter")
        await until(lambda: mine(facts), "it was read here, too")
        place = f"{letter.partition}:{letter.offset}"
        listed = await vokter(
            env, tmp_path, "dead-letters", "list", "--topic", SUBSCRIPTIONS.name, "--json"
        )
        rows = [json.loads(line) for line in listed.out.splitlines()]
        (row,) = [row for row in rows if row["letter"] == place]
        assert (row["agent"], row["bytes"]) == ("ticker", len(value))
        shown = await vokter(env, tmp_path, "dead-letters", "show", place)
        assert "Confluent framing" in shown.out
        assert name in shown.out
        assert "00 ff 20 70 6f 69 73 6f 6e" in shown.out
        assert "\x1b" not in shown.out
        refused = await vokter(env, tmp_path, "dead-letters", "replay", place)
        assert (refused.status, len(mine(facts))) == (1, 1)
        done = await vokter(env, tmp_path, "dead-letters", "replay", place, "--yes")
        assert done.status == 0, done
        assert "1 put back" in done.err
        await until(lambda: len(mine(letters)) == 2, "it failed again, and is a new letter")
        await until(lambda: len(mine(facts)) == 2, "both were read here")
    first, again = mine(facts)
    assert (again.key, again.value, again.partition) == (b"\xfekey", value, 3)
    assert list(again.headers) == list(first.headers) == headers


async def test_a_forged_dead_letter_is_shown_and_not_put_back(
    shared: Deployment, rest: Rest, hooks: Hooks, tmp_path: Path
) -> None:
    """It names an offset that holds another message, and one that holds none."""
    env, prefix, thief = environment(shared.settings), shared.settings.topic_prefix, hooks.add()
    stolen = replace(NOTIFICATION, receiver=Receiver(thief.url))
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        reading(shared.settings, ATTEMPTS) as attempts,
        producer(shared.settings) as kafka,
    ):
        other = await kafka.send_and_wait(
            prefix + ATTEMPTS.name, wire.encode(Attempt("n", 0)), key=b"k", partition=0
        )
        for offset in (other.offset, 10**9):
            origin = {"topic": ATTEMPTS.name, "partition": 0, "offset": offset}
            headers = [(f"__connect.errors.{k}", str(v).encode()) for k, v in origin.items()]
            await kafka.send_and_wait(
                prefix + DEAD_LETTERS.name,
                wire.encode(Redeliver(stolen)),
                key=b"k",
                headers=[*headers, ("thief", thief.url.encode())],
            )

        def forged() -> list[ConsumerRecord]:
            return [m for m in letters.seen if ("thief", thief.url.encode()) in m.headers]

        found = await until(lambda: f if len(f := forged()) == 2 else None, "both are there")
        ids = [f"{letter.partition}:{letter.offset}" for letter in found]
        refused = await vokter(env, tmp_path, "dead-letters", "replay", *ids, "--yes")
        assert (refused.status, "0 put back" in refused.err) == (1, True), refused
        assert "Redeliver" in refused.err
        assert thief.url in refused.err, "the operator sees for whom it is"
        assert "may be forged" in refused.err
        assert "cannot be checked" in refused.err
        assert not attempts.of(Redeliver)
    assert not thief.posts


WRONG = [
    (("show", "3:999999"), 1, "there is no dead letter 3:999999"),
    (("show", "99:0"), 1, "there is no dead letter 99:0"),
    (("show", "x"), 1, "PARTITION:OFFSET"),
    (("replay",), 2, "--all"),
    (("replay", "0:0", "--all"), 2, "--all"),
    (("replay", "3:999999", "--yes"), 1, "there is no dead letter"),
    (("list", "--since", "soon"), 2, "neither an age"),
    (("list", "--topic", "nothing"), 2, "choose one of"),
]


@pytest.mark.parametrize(
    ("arguments", "status", "text"), WRONG, ids=[" ".join(w[0]) for w in WRONG]
)
async def test_what_is_wrong_with_a_command_is_said_in_a_line(
    shared: Deployment, rest: Rest, tmp_path: Path, arguments: list[str], status: int, text: str
) -> None:
    result = await vokter(environment(shared.settings), tmp_path, "dead-letters", *arguments)
    assert result.status == status, result
    assert text in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "name",
    [
        # Above, each of them is on every topic.
        each if each == "JSON cut short" else pytest.param(each, marks=pytest.mark.slow)
        for each in BAD
    ],
)
async def test_a_bad_request_becomes_a_dead_letter_and_the_next_good_one_is_handled(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, name: str
) -> None:
    page, hook, request_id, value = pages.add("<p>the giant"), hooks.add(), uuid4().hex, BAD[name]
    good = Subscribe(
        page.url,
        Receiver(hook.url),
        request_id=request_id,
        keywords=("argus",),
        options=Options(interval=1),
    )
    topic = shared.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    header = ("trace", request_id.encode())
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        reading(shared.settings, SUBSCRIPTIONS) as facts,
        producer(shared.settings) as kafka,
    ):
        key = page.url.encode()  # both on one partition
        await kafka.send_and_wait(topic, value, key=key, headers=[header])
        await kafka.send_and_wait(topic, wire.encode(good), key=key)
        await until(lambda: facts.of(Subscribed, request_id=request_id), "the good one is answered")
        (letter,) = await until(
            lambda: [m for m in letters.seen if header in m.headers], "there is a dead letter"
        )
        await rest.cancel(page.url, hook.url)
    assert (letter.key, letter.value) == (key, value)
    headers = dict(letter.headers)
    assert headers[REASON]
    assert headers["__connect.errors.topic"] == SUBSCRIPTION_REQUESTS.name.encode()
