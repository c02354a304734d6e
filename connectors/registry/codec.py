"""Records on the topics, with or without a schema registry."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import structlog

from connectors.registry.client import Kinds, RegistryUnavailable, SchemaRegistry
from schemas.codec.framing import Framing
from schemas.codec.versions import Record

T = TypeVar("T")

log = structlog.get_logger()

UNKNOWN_ID_TTL_S = 60.0
"""Seconds until another look-up of an id unknown to the registry."""
RETRY_PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0)


class Codec:
    """Encodes and decodes from memory, without waiting; the registry is asked in threads."""

    def __init__(
        self, url: str | None = None, prefix: str = "", topics: Mapping[str, Kinds] | None = None
    ) -> None:
        """Prepare for the topics (without prefix) of a process; ``url`` is the registry's."""
        self._url = url
        self._prefix = prefix
        self._topics = topics or {}
        self._registry: SchemaRegistry | None = None
        self._framing = Framing()

    async def start(self) -> None:
        """Load and register the schemas of all topics, before the first record.

        Raises RegistryUnavailable or RegistryRefused.
        """
        if self._url is not None and self._registry is None:
            registry = await asyncio.to_thread(SchemaRegistry, self._url)
            self._framing = await asyncio.to_thread(registry.framing, self._prefix, self._topics)
            self._registry = registry

    async def missing(self) -> dict[str, bool]:
        """Return the subjects without our schema, and whether each would accept the schema.

        Raises RegistryUnavailable or RegistryRefused.
        """
        return await self._ask(SchemaRegistry.missing)

    async def unreadable(self) -> dict[str, str]:
        """Return the subjects with a version unreadable by our schema, and the reasons.

        Raises RegistryUnavailable or RegistryRefused.
        """
        return await self._ask(SchemaRegistry.unreadable)

    async def _ask(self, question: Callable[[SchemaRegistry, str, Mapping[str, Kinds]], T]) -> T:
        assert self._url is not None, "there is a registry"
        registry = await asyncio.to_thread(SchemaRegistry, self._url)
        return await asyncio.to_thread(question, registry, self._prefix, self._topics)

    def encode(self, topic: str, record: Record | bytes | None) -> bytes | None:
        """Return a record's value for a topic (without prefix); other bytes stay as they are."""
        return self._framing.encode(topic, record)

    def decode(self, value: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
        """Decode a record of ``kinds``, or raise Undecodable; call ``learn`` first."""
        return self._framing.decode(value, *kinds, allow_json=allow_json)

    def knows(self, value: bytes | None) -> bool:
        """Whether ``learn`` has nothing to look up."""
        return self._framing.unknown(value) is None

    async def learn(self, value: bytes | None, waiting: Callable[[], None] = lambda: None) -> None:
        """Look up an unknown schema of a value, and retry until the registry answers.

        ``waiting`` is called before each retry.
        """
        schema_id = self._framing.unknown(value)
        if schema_id is None or self._registry is None:
            return
        attempt = 0
        while True:
            try:
                found = await asyncio.to_thread(self._registry.find, schema_id)
            except RegistryUnavailable as error:
                log.warning("schema look-up failed, retrying", schema=schema_id, reason=str(error))
                waiting()
                await asyncio.sleep(RETRY_PAUSES_S[min(attempt, len(RETRY_PAUSES_S) - 1)])
                attempt += 1
            else:
                break
        reading = self._framing.reading
        reading[schema_id] = found
        if found is None:
            asyncio.get_running_loop().call_later(UNKNOWN_ID_TTL_S, reading.pop, schema_id, None)
