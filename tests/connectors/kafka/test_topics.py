"""What topics are created with."""

from typing import Any

import pytest
from aiokafka.admin import NewTopic

from connectors.kafka.topics import TopicSpec, _create


class Admin:
    """Takes the topics that are to be created."""

    def __init__(self) -> None:
        self.topics: list[NewTopic] = []
        self.topic_errors: list[Any] = []

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
