"""What topics are created with."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.admin import NewTopic

from connectors.kafka.topics import (
    OFFSETS_REPLICAS,
    TopicsError,
    TopicSpec,
    _awaited_replicas,
    _create,
    wanted_replicas,
)
from tests.harness.virtual_time import in_virtual_time


class Admin:
    """Takes the topics that are to be created; ``there`` are the brokers, one poll after another.

    ``used`` are the brokers on which topics have replicas, ``offsets`` what the brokers' setting
    says, None if nobody may read it.
    """

    def __init__(
        self, *there: set[int], used: tuple[int, ...] = (), offsets: int | None = None
    ) -> None:
        self.topics: list[NewTopic] = []
        self.topic_errors: list[Any] = []
        self._there = list(there)
        self._used = used
        self._offsets = offsets
        nodes = [SimpleNamespace(nodeId=number) for number in (there[0] if there else ())]
        self._client = SimpleNamespace(
            cluster=SimpleNamespace(brokers=lambda: nodes), ready=self._ready
        )

    async def _ready(self, _: int) -> bool:
        return True

    async def describe_cluster(self) -> dict[str, Any]:
        there = self._there.pop(0) if len(self._there) > 1 else self._there[0]
        return {"brokers": [{"node_id": number} for number in there]}

    async def describe_topics(self) -> list[dict[str, Any]]:
        return [{"topic": "other", "partitions": [{"replicas": list(self._used)}]}]

    async def describe_configs(self, resources: list[Any]) -> list[Any]:
        (asked,) = resources
        entries = [("other", "7"), (OFFSETS_REPLICAS, str(self._offsets), False)]
        found = (29, "", 4, asked.name, []) if self._offsets is None else (0, "", 4, "", entries)
        return [SimpleNamespace(resources=[found])]

    async def create_topics(self, topics: list[NewTopic]) -> "Admin":
        self.topics += topics
        return self


@pytest.mark.parametrize(
    ("replicas", "config"),
    [
        (1, {"retention.ms": "5"}),
        (2, {"retention.ms": "5"}),
        (3, {"retention.ms": "5", "min.insync.replicas": "2"}),
    ],
)
async def test_of_three_replicas_two_must_have_a_message(
    replicas: int, config: dict[str, str]
) -> None:
    admin: Any = Admin()
    await _create(admin, [TopicSpec("t", 4, {"retention.ms": "5"})], replicas)
    (topic,) = admin.topics
    assert topic.replication_factor == replicas
    assert topic.topic_configs == config


@pytest.mark.parametrize(
    ("there", "used", "offsets", "replicas"),
    [
        ({1}, (1,), 1, 1),
        ({1, 2}, (1, 2), 2, 2),
        ({1, 2, 3, 4}, (1, 2), 1, 3),
        ({1, 2}, (1, 2, 3), 1, 3),  # a topic has a replica on the one that is away
        ({1, 2}, (), 3, 3),  # a new cluster
        ({1, 2}, (), None, 2),  # nobody may read the setting
    ],
)
async def test_a_broker_that_is_away_counts_for_the_replicas_of_new_topics(
    there: set[int], used: tuple[int, ...], offsets: int | None, replicas: int
) -> None:
    admin: Any = Admin(there, used=used, offsets=offsets)
    assert await wanted_replicas(admin, None) == replicas
    assert await wanted_replicas(admin, 5) == 5


@pytest.mark.parametrize("replication", [None, 3])
def test_topics_wait_for_a_broker_that_is_away(replication: int | None) -> None:
    admin: Any = Admin({1, 2}, {1, 2}, {1, 2}, {1, 2, 3}, offsets=3)
    assert in_virtual_time(_awaited_replicas(admin, replication)) == 3


@pytest.mark.parametrize("replication", [None, 3])
def test_no_topic_gets_fewer_replicas_because_a_broker_stays_away(replication: int | None) -> None:
    admin: Any = Admin({1, 2}, used=(1, 2, 3))
    with pytest.raises(TopicsError, match=r"3 replicas, but only 2 .* VOKTER_REPLICATION=2"):
        in_virtual_time(_awaited_replicas(admin, replication))
