"""Ask a broker for the ids of topics: a topic created again under its name gets another id.

aiokafka asks for metadata up to version 5; brokers since Kafka 2.8 have ids in version 10.
"""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import TopicAuthorizationFailedError, UnknownTopicOrPartitionError
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    AbstractType,
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from connectors.kafka.admin import reachable_broker

NO_ID = bytes(16).hex()


class _Uuid(AbstractType[str]):  # type: ignore[misc]  # aiokafka is not typed
    @classmethod
    def encode(cls, value: str) -> bytes:
        return bytes.fromhex(value)

    @classmethod
    def decode(cls, data: BytesIO) -> str:
        return data.read(16).hex()


_TEXT = CompactString("utf-8")
_TAGS = ("tags", TaggedFields)


class _MetadataResponse(Response):  # type: ignore[misc]  # aiokafka is not typed
    API_KEY = 3
    API_VERSION = 10
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32), ("host", _TEXT), ("port", Int32), ("rack", _TEXT), _TAGS
            ),
        ),
        ("cluster_id", _TEXT),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("name", _TEXT),
                ("topic_id", _Uuid),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition_index", Int32),
                        ("leader_id", Int32),
                        ("leader_epoch", Int32),
                        ("replica_nodes", CompactArray(Int32)),
                        ("isr_nodes", CompactArray(Int32)),
                        ("offline_replicas", CompactArray(Int32)),
                        _TAGS,
                    ),
                ),
                ("topic_authorized_operations", Int32),
                _TAGS,
            ),
        ),
        ("cluster_authorized_operations", Int32),
        _TAGS,
    )


class _MetadataRequest10(RequestStruct):  # type: ignore[misc]  # aiokafka is not typed
    FLEXIBLE_VERSION = True
    API_KEY = 3
    API_VERSION = 10
    RESPONSE_TYPE = _MetadataResponse
    SCHEMA = Schema(
        ("topics", CompactArray(("topic_id", _Uuid), ("name", _TEXT), _TAGS)),
        ("allow_auto_topic_creation", Boolean),
        ("include_cluster_authorized_operations", Boolean),
        ("include_topic_authorized_operations", Boolean),
        _TAGS,
    )


class _MetadataRequest(Request[_MetadataRequest10]):  # type: ignore[misc]  # aiokafka is not typed
    API_KEY = 3

    def __init__(self, topics: Iterable[str]) -> None:
        self._topics = topics

    def build(self, request_struct_class: type[_MetadataRequest10]) -> _MetadataRequest10:
        no_tags: dict[int, bytes] = {}
        topics = [(NO_ID, name, no_tags) for name in self._topics]
        # It creates no topic and asks for no permissions.
        return request_struct_class(topics, False, False, False, no_tags)


async def topic_ids(consumer: AIOKafkaConsumer, topics: Iterable[str]) -> dict[str, str]:
    """Return the id of each of these topics by its name, empty if there is no such topic.

    A topic of which the broker knows no id is left out. Raises KafkaError.
    """
    client = consumer._client  # noqa: SLF001 - its consumer makes no other requests
    try:
        broker = await reachable_broker(client)
        answer: Any = await client.send(broker, _MetadataRequest(topics))
    except NotImplementedError:  # its versions of the request are older ones
        return {}
    found = {}
    for error, name, topic_id, *_ in answer.topics:
        if error == UnknownTopicOrPartitionError.errno:
            found[name] = ""
        elif error == TopicAuthorizationFailedError.errno:
            raise TopicAuthorizationFailedError(name)
        elif topic_id != NO_ID:  # a cluster that is still being upgraded has none yet
            found[name] = topic_id
    return found
