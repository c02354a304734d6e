"""The client that looks at a cluster asks no broker that is away."""

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import NodeNotReadyError

from connectors.kafka.admin import ask_reachable_brokers

TIMES = 20
"""A broker that is chosen at random among three is the one that is away at one of these."""


class Admin:
    """The client of a cluster with three brokers, of which some can be reached."""

    def __init__(self, *up: int) -> None:
        brokers = [SimpleNamespace(nodeId=number) for number in (1, 2, 3)]
        self.cluster = SimpleNamespace(brokers=lambda: brokers)
        self._client = self
        self._up = up

    def get_random_node(self) -> int:
        return 2

    async def ready(self, node_id: int) -> bool:
        return node_id in self._up

    async def _send_request(self, _: Any, node_id: int | None = None) -> int | None:
        if node_id not in self._up:
            raise NodeNotReadyError(f"node {node_id}")
        return node_id


def patched(*up: int) -> Any:
    admin: Any = Admin(*up)
    ask_reachable_brokers(admin)
    return admin


async def test_what_any_broker_can_answer_is_asked_of_one_that_is_there() -> None:
    admin = patched(1, 3)
    assert {await admin._send_request("topics") for _ in range(TIMES)} == {1, 3}


async def test_what_one_broker_must_answer_is_asked_of_no_other() -> None:
    with pytest.raises(NodeNotReadyError):
        await patched(1, 3)._send_request("group", 2)


async def test_without_any_broker_it_is_an_error_of_aiokafka() -> None:
    with pytest.raises(NodeNotReadyError):
        await patched()._send_request("topics")
