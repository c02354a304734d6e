"""Offsets of a topic that was created again are not taken for those of the former one."""

import asyncio
from collections.abc import Collection

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError

from streams.engine.acks.commit_metadata import CommitMetadata
from streams.engine.acks.topic_ids import TopicIds, watch_topics
from tests.harness.waiting import until

CHANGES = TopicPartition("changes", 0)


class Cluster:
    """A broker that has topics with these ids; it is away, or too old to know any."""

    def __init__(self, **ids: str) -> None:
        self.ids = ids
        self.is_away = self.is_old = False
        self.asked = 0

    async def ask(self, topics: Collection[str]) -> dict[str, str]:
        self.asked += 1
        if self.is_away:
            raise KafkaConnectionError
        return {} if self.is_old else {name: self.ids.get(name, "") for name in topics}

    async def topic_ids(self, *topics: str) -> TopicIds:
        found = TopicIds(topics, self.ask)
        await found.begin()
        return found


@pytest.mark.parametrize(
    ("now", "noted", "is_former"),
    [("b", "a", True), ("b", "b", False), ("b", "", False), ("", "a", False), ("", "", False)],
)
async def test_a_note_of_another_topic_of_this_name_is_a_former_one(
    now: str, noted: str, is_former: bool
) -> None:
    cluster = Cluster(changes=now)
    cluster.is_old = not now
    ids = await cluster.topic_ids("changes")
    assert ids.is_former(CHANGES, CommitMetadata(topic=noted)) == is_former


async def test_a_topic_that_was_created_again_is_found_and_one_that_is_deleted_is_not() -> None:
    cluster = Cluster(changes="a", requests="a", others="a")
    ids = await cluster.topic_ids("changes", "requests")
    assert await ids.recreated() == []
    cluster.ids = {}
    assert await ids.recreated() == []
    cluster.ids = {"changes": "b", "requests": "c", "others": "d"}
    assert await ids.recreated() == ["changes", "requests"]


async def test_a_broker_that_knows_no_ids_has_recreated_nothing() -> None:
    cluster = Cluster(changes="a")
    cluster.is_old = True
    ids = await cluster.topic_ids("changes")
    assert await ids.recreated() == []
    cluster.is_old = False
    assert await ids.recreated() == []


async def test_a_topic_that_is_missing_at_the_assignment_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.acks.topic_ids.PAUSE_S", 0)
    cluster = Cluster(changes="a")
    beginning = asyncio.create_task(cluster.topic_ids("changes", "requests"))
    await until(lambda: cluster.asked > 2, "it is looked for")
    assert not beginning.done()
    cluster.ids["requests"] = "b"
    assert (await beginning).of(TopicPartition("requests", 3)) == "b"


async def test_the_process_ends_once_a_topic_was_created_again_and_not_while_the_broker_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.engine.acks.topic_ids.INTERVAL_S", 0)
    cluster, ended = Cluster(changes="a"), asyncio.get_running_loop().create_future()

    async def end(reason: str) -> None:
        if not ended.done():
            ended.set_result(reason)

    watching = asyncio.create_task(watch_topics(await cluster.topic_ids("changes"), end))
    cluster.is_away = True
    await until(lambda: cluster.asked > 2, "it is asked")
    assert not ended.done()
    cluster.is_away, cluster.ids = False, {"changes": "b"}
    assert await ended == "topics were created again, and are read from their beginning: changes"
    watching.cancel()
