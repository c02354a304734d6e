"""streams/app.py, the map, held to what the agents do."""

import re
from importlib import import_module
from typing import get_args, get_type_hints

import pytest

from schemas.records import topics
from streams.app import AGENTS, API, RECORD, Neighbour, picture, reported_elsewhere
from streams.effects.topics import topic_specs
from streams.settings import Settings
from streams.values.agent import Agent
from tests.docs.reading import ROOT, agent_files


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_sends_to_the_topics_that_the_map_says(agent: str) -> None:
    texts = [file.read_text() for file in agent_files(agent)]
    if any(re.search(r"streams\.values\.judging import .*send_", text) for text in texts):
        texts.append((ROOT / "streams/values/judging.py").read_text())
    sent = {name for text in texts for name in re.findall(r"Send\(([A-Z_]+)\.name", text)}

    assert {getattr(topics, name) for name in sent} == set(AGENTS[agent].writes)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_is_built_by_the_module_of_its_name_and_is_of_its_runner(agent: str) -> None:
    build = get_type_hints(import_module(f"streams.effects.{agent}").build.__wrapped__)["return"]
    [built] = get_args(build)
    offered = {"ordered": "decide", "pool": "handle", "batched": "write"}[AGENTS[agent].runner]
    assert hasattr(built, offered)
    assert hasattr(built, "tick") == (AGENTS[agent].timer_s is not None)
    assert hasattr(built, "sizes")


def test_the_pipeline_is_listed_in_the_order_of_the_picture() -> None:
    assert picture(AGENTS.values()).splitlines()[0].split() == [
        *("ticker", "subscriptions", "by", "document", "URL", "→", "fetches,", "renders"),
        *("table", "watches"),
    ]
    assert [line.split()[0] for line in picture(AGENTS.values()).splitlines()] == list(AGENTS)


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
def test_the_first_topic_is_one_that_is_read(agent: Agent) -> None:
    assert agent.first is None or agent.first in agent.reads


def test_what_cannot_be_read_on_a_topic_is_reported_by_one_agent() -> None:
    reported = [
        topic
        for agent in AGENTS.values()
        for topic in agent.reads
        if topic not in reported_elsewhere(agent)
    ]

    assert sorted(topic.name for topic in set(reported)) == sorted(each.name for each in reported)
    assert set(reported) == {topic for agent in AGENTS.values() for topic in agent.reads}
    assert reported_elsewhere(RECORD) == set(RECORD.reads) - {topics.DELIVERIES}


def test_every_topic_that_is_read_is_also_written_and_created() -> None:
    processes: list[Agent | Neighbour] = [API, *AGENTS.values()]
    read = {topic for process in processes for topic in process.reads}
    written = {topic for process in processes for topic in process.writes}
    created = {spec.name for spec in topic_specs(Settings(topic_prefix=""))}

    assert read <= written
    assert {topic.name for topic in written} <= created
