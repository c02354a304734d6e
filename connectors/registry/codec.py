"""Records as they stand on topics, with a schema registry or without one."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from connectors.registry.client import Kinds, RegistryUnavailable, SchemaRegistry
from schemas.framing import Framing
from schemas.wire import Record

log = structlog.get_logger()

FORGET = 60.0
"""Seconds after which an id that the registry did not know is asked for again."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)


class Codec:
    """Translates at once, from memory; the registry is asked in threads."""

    def __init__(
        self, url: str | None = None, prefix: str = "", topics: Mapping[str, Kinds] | None = None
    ) -> None:
        """Take the registry's URL, and the topics (without prefix) that this process uses."""
        self._url = url
        self._prefix = prefix
        self._topics = topics or {}
        self._registry: SchemaRegistry | None = None
        self._framing = Framing()

    async def start(self) -> None:
        """Learn and register all that is needed, before the first record.

        Raises RegistryUnavailable or RegistryRefused.
        """
        if self._url is not None and self._registry is None:
            registry = await asyncio.to_thread(SchemaRegistry, self._url)
            self._framing = await asyncio.to_thread(registry.framing, self._prefix, self._topics)
            self._registry = registry

    async def missing(self) -> dict[str, bool]:
        """Give the subjects whose schema the registry lacks, and whether it would take it.

        Raises RegistryUnavailable or RegistryRefused.
        """
        assert self._url is not None, "there is a registry"
        registry = await asyncio.to_thread(SchemaRegistry, self._url)
        return await asyncio.to_thread(registry.missing, self._prefix, self._topics)

    def encode(self, topic: str, record: Record | bytes | None) -> bytes | None:
        """Give a topic's value (its name without prefix); bytes that are no record of ours stay."""
        return self._framing.encode(topic, record)

    def decode(self, value: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
        """Read one of ``kinds``, or raise Undecodable; ``learn`` comes first."""
        return self._framing.decode(value, *kinds, allow_json=allow_json)

    def knows(self, value: bytes | None) -> bool:
        """Whether ``learn`` has nothing to ask for."""
        return self._framing.unknown(value) is None

    async def learn(self, value: bytes | None, waiting: Callable[[], None] = lambda: None) -> None:
        """Ask the registry for the schema of a value, if it is not known, until it answers.

        ``waiting`` is called before each new attempt.
        """
        schema_id = self._framing.unknown(value)
        if schema_id is None or self._registry is None:
            return
        attempt = 0
        while True:
            try:
                found = await asyncio.to_thread(self._registry.find, schema_id)
            except RegistryUnavailable as error:
                log.warning("trying again", schema=schema_id, reason=str(error))
                waiting()
                await asyncio.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
                attempt += 1
            else:
                break
        reading = self._framing.reading
        reading[schema_id] = found
        if found is None:
            asyncio.get_running_loop().call_later(FORGET, reading.pop, schema_id, None)
