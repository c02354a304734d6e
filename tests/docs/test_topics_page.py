from typing import get_args

import pytest

from connectors.kafka.access import MAX_MESSAGE_BYTES
from schemas.records.changes import Change
from schemas.records.deliveries import Delivery
from schemas.records.notifications import Notification
from schemas.records.requests import ClientRequest
from schemas.records.subscription_facts import SubscriptionFact
from schemas.records.topics import TOPICS, Topic
from streams.app import AGENTS, API, TICKER, Neighbour
from streams.effects.topics import topic_specs
from streams.settings import Settings
from streams.values.agent import Agent, changelog_topic
from tests.docs.reading import names, rows, text
from vokter import topics

PAGE = text("docs/topics.md")
TABLE = {row[0].strip("`"): row for row in rows(PAGE, "topic")}
CHANGELOGS = {row[0].strip("`"): row for row in rows(PAGE.partition("## Changelogs")[2], "topic")}
SECURED = text("docs/how-to/secured-kafka.md")
RIGHTS = {
    row[0].strip("`"): row
    for header in ("process", "another process")
    for row in rows(SECURED, header)
}
SETTINGS = Settings.model_construct()
SPECS = {spec.name.removeprefix(SETTINGS.topic_prefix): spec for spec in topic_specs(SETTINGS)}

each_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)


def test_the_page_lists_every_topic_that_is_created_and_no_other() -> None:
    assert TABLE.keys() | CHANGELOGS.keys() == SPECS.keys()
    assert TABLE.keys() == {topic.name for topic in TOPICS}


@each_topic
def test_a_topic_has_the_records_that_may_travel_on_it(topic: Topic) -> None:
    assert names(TABLE[topic.name][2]) == {kind.__name__ for kind in topic.kinds}


@each_topic
def test_a_topic_has_its_readers(topic: Topic) -> None:
    documented = TABLE[topic.name][4].replace(",", " ").replace(";", " ").split()
    reading = {name for name, agent in AGENTS.items() if topic in agent.reads}

    assert set(documented) & AGENTS.keys() == reading


@each_topic
def test_a_topic_has_its_retention_and_its_largest_message(topic: Topic) -> None:
    _, _, _, _, _, kept, largest = TABLE[topic.name]
    config = SPECS[topic.name].config

    assert (kept == "retention") == ("retention.ms" in config)
    assert largest.startswith("16 MB") == (
        config.get("max.message.bytes") == str(MAX_MESSAGE_BYTES)
    )


@pytest.mark.parametrize("name", CHANGELOGS)
def test_a_changelog_has_its_retention(name: str) -> None:
    policy = SPECS[name].config["cleanup.policy"]

    assert CHANGELOGS[name][2].startswith("compact")
    assert ("delete" in CHANGELOGS[name][2]) == (policy == "compact,delete")


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
def test_a_changelog_has_the_rows_of_its_table(agent: Agent) -> None:
    for table in agent.tables:
        row = CHANGELOGS[f"{agent.name}-{table.name}-changelog"]
        assert names(row[1]) == {kind.__name__ for kind in table.rows}


@pytest.mark.parametrize("process", [*AGENTS.values(), API], ids=lambda each: each.name)
def test_a_process_has_the_rights_that_it_needs(process: Agent | Neighbour) -> None:
    read, written = (names(cell) for cell in RIGHTS[process.name][1:3])
    more = {"dead-letters"}
    if process is API:  # its page has what doctor finds, and what lies in dead-letters
        more |= {changelog_topic("", TICKER.name, TICKER.tables[0].name)}
    assert read - more == {topic.name for topic in process.reads}
    assert written - more == {topic.name for topic in process.writes}


def test_json_and_broker_times_are_documented_for_the_one_topic_that_has_them() -> None:
    open_to_all = [topic.name for topic in TOPICS if topic.open_to_all and topic.allow_json]

    assert open_to_all == ["subscription-requests"]
    assert SPECS["subscription-requests"].config["message.timestamp.type"] == "LogAppendTime"
    assert "On `subscription-requests` timestamps are the broker's" in PAGE


@pytest.mark.parametrize("agent", AGENTS)
def test_every_consumer_group_is_named(agent: str) -> None:
    assert f"`{SETTINGS.topic_prefix}{agent}`" in PAGE


def test_programs_have_the_records_that_they_write_and_read() -> None:
    unions = (ClientRequest, SubscriptionFact, Change, Delivery)
    records = {Notification, *(kind for each in unions for kind in get_args(each))}
    assert {kind.__name__ for kind in records} <= set(topics.__all__)
    assert {getattr(topics, name) for name in topics.__all__} > records
