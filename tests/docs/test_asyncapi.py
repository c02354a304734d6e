"""The AsyncAPI description of the topics agrees with the code."""

import ast
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from connectors.dead_letters.record import CUT, ERRORS
from schemas.codec import versions
from schemas.records import topics
from schemas.records.topic_names import FORWARDED
from schemas.records.topics import DEAD_LETTERS, JUDGEMENTS, NOTIFICATIONS, TOPICS, Topic
from streams.app import AGENTS
from streams.settings import Settings
from tests.docs.reading import ROOT, agent_files, rows, text

DESCRIPTION: dict[str, Any] = yaml.load(text("docs/asyncapi.yaml"), yaml.CSafeLoader)
CHANNELS: dict[str, Any] = DESCRIPTION["channels"]
OPERATIONS: dict[str, Any] = DESCRIPTION["operations"]
MESSAGES: dict[str, Any] = DESCRIPTION["components"]["messages"]
KEYS = {row[0].strip("`"): row[1] for row in rows(text("docs/topics.md"), "topic")}
WAYS = {"send_of": {NOTIFICATIONS}, "send_to": {NOTIFICATIONS, JUDGEMENTS}}
"""The topics to which a notification goes, by the functions of ``streams.values.judging``."""

each_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
each_agent = pytest.mark.parametrize("agent", AGENTS)


def messages(topic: Topic) -> set[str]:
    return {kind.__name__ for kind in topic.kinds} or {"DeadLetter"}


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from ([node["$ref"]] if "$ref" in node else ())
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from references(part)


def described(agent: str, action: str) -> set[str]:
    """Return the topics that an agent receives or sends according to the description."""
    return {
        operation["channel"]["$ref"].rpartition("/")[2]
        for operation in OPERATIONS.values()
        if operation["action"] == action and operation["tags"] == [{"name": agent}]
    }


def sent(agent: str) -> set[str]:
    """The topics that an agent's code makes a ``Send`` for."""
    trees = [ast.parse(file.read_text("utf-8")) for file in agent_files(agent)]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {
        ast.unparse(call.args[0]).removesuffix(".name")
        for call in calls
        if ast.unparse(call.func) == "Send"
    }
    shared = {topic.name for call in calls for topic in WAYS.get(ast.unparse(call.func), ())}
    return shared | {getattr(topics, name).name for name in names}


@each_topic
def test_a_topic_is_described_with_its_records_and_key(topic: Topic) -> None:
    channel = CHANNELS[topic.name]
    assert channel["address"] == "{prefix}" + topic.name
    assert channel["messages"].keys() == messages(topic)
    for name in messages(topic):
        assert channel["messages"][name] == {"$ref": f"#/components/messages/{name}"}
        assert MESSAGES[name]["bindings"]["kafka"]["key"]["description"] == KEYS[topic.name]


def test_nothing_else_is_described() -> None:
    assert CHANNELS.keys() == {topic.name for topic in TOPICS}
    assert MESSAGES.keys() == set().union(*map(messages, TOPICS))
    prefix = DESCRIPTION["components"]["parameters"]["prefix"]["default"]
    assert prefix == Settings.model_construct().topic_prefix


@each_topic
def test_a_record_refers_to_its_newest_schema_and_has_its_summary(topic: Topic) -> None:
    for kind in topic.kinds:
        newest = max(schema.version for schema in versions.schemas() if schema.kind is kind)
        payload = MESSAGES[kind.__name__]["payload"]
        assert payload["schema"] == {"$ref": f"../schemas/avro/{kind.__name__}.{newest}.avsc"}
        assert MESSAGES[kind.__name__]["summary"] == (kind.__doc__ or "").splitlines()[0]


@each_agent
def test_an_agent_receives_what_it_reads_in_the_map(agent: str) -> None:
    assert described(agent, "receive") == {topic.name for topic in AGENTS[agent].reads}


@each_agent
def test_an_agent_sends_what_its_code_sends_and_dead_letters(agent: str) -> None:
    assert described(agent, "send") == sent(agent) | {DEAD_LETTERS.name}


def test_each_reference_has_a_target() -> None:
    assert [each for each in set(references(DESCRIPTION)) if not has_target(each)] == []


def has_target(reference: str) -> bool:
    place, _, steps = reference.partition("#/")
    node = DESCRIPTION
    for step in steps.split("/") if steps else ():
        node = node.get(step, {})
    return bool(node) and (ROOT / "docs" / place).exists()


def test_headers_are_those_of_the_code() -> None:
    schemas = DESCRIPTION["components"]["schemas"]
    assert schemas["Forwarded"]["properties"].keys() == {FORWARDED}
    assert all(name == CUT or name.startswith(ERRORS) for name in schemas["Why"]["properties"])
