"""A topic's registered schema writes and reads all that may travel on it, and nothing else."""

import json
from io import BytesIO
from itertools import combinations
from typing import Any

import pytest
from fastavro import parse_schema, schemaless_reader
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from schemas.codec import versions, wire
from schemas.codec.framing import Framing, heads, registered, schema_of
from schemas.records.topics import TOPICS, Topic
from tests.fakes.records import records
from tests.harness.examples import examples

REGISTERED = [topic for topic in TOPICS if topic.kinds]
ID = 0x01020304

each_topic = pytest.mark.parametrize("topic", REGISTERED, ids=lambda topic: topic.name)


def framing(topic: Topic) -> Framing:
    heads_of = {topic.name: heads(topic.kinds, ID)}
    return Framing(heads_of, {ID: registered(schema_of(topic.kinds))})


@each_topic
@examples(50)
@given(data=st.data())
def test_every_record_comes_back_and_is_plain_avro_to_others(
    topic: Topic, data: st.DataObject
) -> None:
    ours = framing(topic)
    kind = data.draw(st.sampled_from(topic.kinds))
    record = data.draw(records(kind))
    value = ours.encode(topic.name, record)
    assert value is not None
    assert value[:5] == b"\0\1\2\3\4"
    assert ours.unknown(value) is None
    assert ours.decode(value, *topic.kinds) == record
    source: Any = json.loads(schema_of(topic.kinds))
    theirs: Any = schemaless_reader(BytesIO(value[5:]), parse_schema(source), None)
    assert wire.encode(record)[10:] == value[5 + (len(topic.kinds) > 1) :]
    assert theirs.keys() == to_builtins(record).keys()


@each_topic
def test_a_record_that_two_kinds_share_is_the_same_in_both(topic: Topic) -> None:
    """A union spells it out once."""
    for one, other in combinations(topic.kinds, 2):
        ours, theirs = parts(versions.newest(one).source), parts(versions.newest(other).source)
        assert all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())


def parts(source: Any) -> dict[str, Any]:
    """The records within a schema, by their names, as lists of fields."""
    if isinstance(source, list):
        return {name: each for branch in source for name, each in parts(branch).items()}
    if not isinstance(source, dict):
        return {}
    if source["type"] == "array":
        return parts(source["items"])
    found = {
        name: each for field in source["fields"] for name, each in parts(field["type"]).items()
    }
    names = [(field["name"], field.get("default")) for field in source["fields"]]
    return found | {source["name"]: names}


FIRST = framing(REGISTERED[0])


@given(st.binary(max_size=60))
def test_any_bytes_behind_a_frame_are_a_record_or_undecodable(body: bytes) -> None:
    try:
        record = FIRST.decode(b"\0\1\2\3\4" + body, *REGISTERED[0].kinds)
    except wire.Undecodable:
        return
    assert isinstance(record, REGISTERED[0].kinds)


@given(st.text() | st.recursive(st.none() | st.text(), st.lists, max_leaves=5).map(json.dumps))
def test_whatever_a_registry_has_gives_no_more_than_no_schema_of_ours(text: str) -> None:
    assert not any(registered(text).branches)
