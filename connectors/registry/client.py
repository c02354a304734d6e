"""Calls of the registry. All of them block: they are made in a thread, never on a loop."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from schemas.framing import Framing, Registered, heads, registered, schema_of

LEVEL = "FULL_TRANSITIVE"
TIMEOUT = 10.0
RETRIES = 2
"""Of the client itself, with pauses of a second or two."""

Kinds = tuple[type[Any], ...]
T = TypeVar("T")


class RegistryUnavailable(Exception):
    """The registry does not answer; asking again may help."""


class RegistryRefused(Exception):
    """The registry does not let us, or not this schema; the text says what to do."""


class SchemaRegistry:
    """A client of one registry."""

    def __init__(self, url: str) -> None:
        """Take its URL, which may have ``USER:PASSWORD@``; raises RegistryRefused for no URL."""
        # A quarter of a second to import, and needed only where there is a registry.
        from confluent_kafka.schema_registry import (  # noqa: PLC0415
            Schema,
            SchemaRegistryClient,
            SchemaRegistryError,
        )

        self._schema = Schema
        self._error = SchemaRegistryError
        try:
            self._client = SchemaRegistryClient(
                {"url": url, "timeout": TIMEOUT, "max.retries": RETRIES}
            )
        except ValueError as error:
            raise RegistryRefused("SCHEMA_REGISTRY_URL is no http or https URL") from error

    def framing(self, prefix: str, topics: Mapping[str, Kinds]) -> Framing:
        """Register what may travel on topics, and learn what ever did.

        ``topics`` are without prefix. Raises RegistryUnavailable or RegistryRefused.
        """
        writing, reading = {}, dict[int, Registered | None]()
        for topic, kinds in topics.items():
            subject = _subject(prefix, topic)
            writing[topic] = heads(kinds, self._id(subject, schema_of(kinds)))
            reading |= self._versions(subject)
        return Framing(writing, reading)

    def missing(self, prefix: str, topics: Mapping[str, Kinds]) -> dict[str, bool]:
        """Give the subjects that do not have our schema, and whether each would take it.

        Registers nothing. Raises RegistryUnavailable or RegistryRefused.
        """
        schemas = {
            _subject(prefix, topic): self._schema(schema_of(kinds), "AVRO")
            for topic, kinds in topics.items()
        }
        return {
            subject: self._is_taken(subject, schema)
            for subject, schema in schemas.items()
            if self._known(subject, schema) is None
        }

    def find(self, schema_id: int) -> Registered | None:
        """Give what an id stands for, None where there is none; raises RegistryUnavailable."""
        found = self._call(self._client.get_schema, schema_id)
        return None if found is None else registered(found.schema_str or "")

    def _id(self, subject: str, text: str) -> int:
        """Give the id of a subject's schema, registered if it is not yet."""
        schema = self._schema(text, "AVRO")
        try:
            return self._known(subject, schema) or self._register(subject, schema)
        except RegistryRefused:
            # Processes that start together all register; one of them is the first.
            if (found := self._known(subject, schema)) is None:
                raise
            return found

    def _known(self, subject: str, schema: Any) -> int | None:
        found = self._call(self._client.lookup_schema, subject, schema)
        return None if found is None else found.schema_id

    def _is_taken(self, subject: str, schema: Any) -> bool:
        """Whether a subject's versions, where it has any, allow a schema beside them."""
        answer = self._call(self._client.test_compatibility_all_versions, subject, schema)
        return answer is not False

    def _register(self, subject: str, schema: Any) -> int:
        if not self._call(self._client.get_versions, subject):
            # Apicurio answers 409 to all but the first of those who set it at once.
            self._call(self._client.set_compatibility, subject, LEVEL, passing=(409,))
        new = self._call(self._client.register_schema, subject, schema)
        if new is None:
            raise RegistryRefused(f"{subject} cannot be registered at SCHEMA_REGISTRY_URL: 404")
        return new

    def _versions(self, subject: str) -> dict[int, Registered | None]:
        numbers = self._call(self._client.get_versions, subject) or ()
        found = [self._call(self._client.get_version, subject, each) for each in numbers]
        return {
            each.schema_id: registered(each.schema.schema_str or "")
            for each in found
            if each is not None and each.schema_id is not None
        }

    def _call(
        self, method: Callable[..., T], *arguments: Any, passing: tuple[int, ...] = (404,)
    ) -> T | None:
        """Give the answer, None for one of a status in ``passing``."""
        try:
            return method(*arguments)
        except self._error as error:
            if error.http_status_code in passing:
                return None
            if 400 <= error.http_status_code < 500:
                raise RegistryRefused(_refusal(arguments[0], error)) from error
            raise RegistryUnavailable(f"the schema registry answers: {error}") from error
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise RegistryUnavailable(f"the schema registry does not answer: {why}") from error


def _subject(prefix: str, topic: str) -> str:
    return f"{prefix}{topic}-value"


def _refusal(what: object, error: Any) -> str:
    if error.http_status_code == 409:
        return (
            f"The schema registry refuses what is to be on {what}: {error}. A release that puts "
            "a new kind of record on a topic is not fully compatible, for workers of the one "
            f"before cannot read it. Stop those, set the compatibility of {what} at the registry "
            "to BACKWARD_TRANSITIVE (it is set once and then left as it is), and start again."
        )
    return f"The schema registry refuses a call for {what}: {error}"
