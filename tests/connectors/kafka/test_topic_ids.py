"""What a broker's answer says of the ids of topics."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import TopicAuthorizationFailedError

from connectors.kafka.topic_ids import NO_ID, topic_ids

ID = "ab" * 16
THERE = 7
"""The only broker that can be reached."""


def consumer(*topics: tuple[int, str, str]) -> Any:
    """A consumer with a broker that answers with these errors, names and ids."""

    async def ready(node_id: int) -> bool:
        return node_id == THERE

    async def send(node_id: int, _: object) -> object:
        assert node_id == THERE, "another broker is away"
        return SimpleNamespace(topics=[(*each, False, [], 0, {}) for each in topics])

    brokers = [SimpleNamespace(nodeId=number) for number in range(20)]
    cluster = SimpleNamespace(brokers=lambda: brokers)
    client = SimpleNamespace(send=send, ready=ready, cluster=cluster)
    return SimpleNamespace(_client=client)


async def test_a_topic_that_is_there_but_has_no_id_is_not_missing() -> None:
    answer = consumer((0, "changes", NO_ID), (3, "crawls", NO_ID), (0, "fetches", ID))
    assert await topic_ids(answer, ["changes", "crawls", "fetches"]) == {
        "crawls": "",
        "fetches": ID,
    }


async def test_a_topic_that_may_not_be_read_is_not_missing() -> None:
    with pytest.raises(TopicAuthorizationFailedError, match="changes"):
        await topic_ids(consumer((29, "changes", NO_ID)), ["changes"])
