"""Calls to the schema registry. All of them block: make them in a thread, never on a loop."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from schemas.codec.framing import Framing, Registered, heads, registered, schema_of

LEVEL = "FULL_TRANSITIVE"
TIMEOUT_S = 10.0
RETRIES = 2
"""Made by the client itself, with pauses of a second or two."""

Kinds = tuple[type[Any], ...]
T = TypeVar("T")


class RegistryUnavailable(Exception):
    """The registry does not answer; a retry may help."""


class RegistryRefused(Exception):
    """The registry refuses us or a schema, or cannot be used; the text names the remedy."""


class SchemaRegistry:
    """A client of a registry."""

    def __init__(self, url: str) -> None:
        """Connect to a URL, which may contain ``USER:PASSWORD@``.

        Raises RegistryRefused for an invalid URL, and without ``vokter[registry]``.
        """
        try:
            # An optional package, and a quarter of a second to import.
            from confluent_kafka.schema_registry import (  # noqa: PLC0415
                Schema,
                SchemaRegistryClient,
                SchemaRegistryError,
            )
        except ImportError as error:
            raise RegistryRefused(
                f"SCHEMA_REGISTRY_URL is set, but the client of schema registries is not installed "
                f"({error}). Install it with: pip install 'vokter[registry]'"
            ) from error
        self._schema = Schema
        self._error = SchemaRegistryError
        try:
            self._client = SchemaRegistryClient(
                {"url": url, "timeout": TIMEOUT_S, "max.retries": RETRIES}
            )
        except ValueError as error:
            raise RegistryRefused("SCHEMA_REGISTRY_URL is not an http or https URL") from error

    def framing(self, prefix: str, topics: Mapping[str, Kinds]) -> Framing:
        """Register the schemas of topics, and load all their versions.

        ``topics`` are without prefix. Raises RegistryUnavailable or RegistryRefused.
        """
        writing, reading = {}, dict[int, Registered | None]()
        for topic, kinds in topics.items():
            subject = _subject(prefix, topic)
            writing[topic] = heads(kinds, self._id(subject, schema_of(kinds)))
            reading |= {
                schema_id: registered(text) for schema_id, text in self._versions(subject).items()
            }
        return Framing(writing, reading)

    def missing(self, prefix: str, topics: Mapping[str, Kinds]) -> dict[str, bool]:
        """Return the subjects without our schema, and whether each would accept the schema.

        Registers nothing. Raises RegistryUnavailable or RegistryRefused.
        """
        schemas = {
            _subject(prefix, topic): self._schema(schema_of(kinds), "AVRO")
            for topic, kinds in topics.items()
        }
        accepts = self._client.test_compatibility_all_versions  # also of a subject without any
        return {
            subject: self._call(accepts, subject, schema) is not False
            for subject, schema in schemas.items()
            if self._known(subject, schema) is None
        }

    def unreadable(self, prefix: str, topics: Mapping[str, Kinds]) -> dict[str, str]:
        """Return the subjects with a version unreadable by our schema, and the reasons.

        Raises RegistryUnavailable or RegistryRefused.
        """
        # 50 ms to import, and only the doctor asks.
        from schemas.codec.compatibility import unreadable_reason  # noqa: PLC0415

        found: dict[str, str] = {}
        for topic, kinds in topics.items():
            subject = _subject(prefix, topic)
            for text in self._versions(subject).values():
                if reason := unreadable_reason(schema_of(kinds), text):
                    found[subject] = reason
        return found

    def find(self, schema_id: int) -> Registered | None:
        """Return the schema of an id, None if there is none; raises RegistryUnavailable."""
        found = self._call(self._client.get_schema, schema_id)
        return None if found is None else registered(found.schema_str or "")

    def _id(self, subject: str, text: str) -> int:
        """Return the id of a subject's schema, registered if necessary."""
        schema = self._schema(text, "AVRO")
        try:
            return self._known(subject, schema) or self._register(subject, schema)
        except RegistryRefused:
            # Processes that start together all try to register; one of them was first.
            if (found := self._known(subject, schema)) is None:
                raise
            return found

    def _known(self, subject: str, schema: Any) -> int | None:
        found = self._call(self._client.lookup_schema, subject, schema)
        return None if found is None else found.schema_id

    def _register(self, subject: str, schema: Any) -> int:
        if not self._call(self._client.get_versions, subject):
            # Of several who set it at once, Apicurio answers 409 to all but the first.
            self._call(self._client.set_compatibility, subject, LEVEL, passing=(409,))
        new = self._call(self._client.register_schema, subject, schema)
        if new is None:
            raise RegistryRefused(f"{subject} cannot be registered at SCHEMA_REGISTRY_URL: 404")
        return new

    def _versions(self, subject: str) -> dict[int, str]:
        """Return all versions of a subject's schema by their ids."""
        numbers = self._call(self._client.get_versions, subject) or ()
        found = [self._call(self._client.get_version, subject, each) for each in numbers]
        return {
            each.schema_id: each.schema.schema_str or ""
            for each in found
            if each is not None and each.schema_id is not None
        }

    def _call(
        self, method: Callable[..., T], *arguments: Any, passing: tuple[int, ...] = (404,)
    ) -> T | None:
        """Return the answer, None for a status in ``passing``."""
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
            f"The schema registry refuses the schema of {what}: {error}. A release that adds a "
            "kind of record to a topic is not fully compatible, because the workers of the "
            "release before cannot read it. Stop those workers, set the compatibility of "
            f"{what} at the registry to BACKWARD_TRANSITIVE (Vokter sets it only once), and "
            "start again."
        )
    return f"The schema registry refuses a call for {what}: {error}"
