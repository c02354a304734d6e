"""A schema registry as Confluent documents its API, over real HTTP, in memory."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import avro.schema
from aiohttp import web
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

from tests.harness.web import served

CHECKED = {"FULL_TRANSITIVE": (True, True), "BACKWARD_TRANSITIVE": (True, False)}
"""Level → whether the new schema must read the old ones, and they the new one."""


class FakeRegistry:
    """Subjects with their versions.

    While it is ``down`` it answers 503; while it is ``crowded``, another process does
    whatever it is asked for a moment earlier, and it answers 409 as Apicurio does.
    """

    def __init__(self) -> None:
        self.url = ""
        self.down = self.crowded = False
        self.schemas: dict[int, str] = {}
        self.subjects: dict[str, list[int]] = {}
        self.levels: dict[str, str] = {}
        self.calls: list[tuple[str, str]] = []

    def add(self, source: Any) -> int:
        """Store another producer's schema and return its id."""
        return self._id(json.dumps(source))

    async def answer(self, request: web.Request) -> web.Response:  # noqa: C901, PLR0911 - one per call
        self.calls.append((request.method, request.path))
        if self.down:
            return _error(503, "down")
        parts = request.path.strip("/").split("/")
        body = await request.json() if request.can_read_body else {}
        match request.method, *parts:
            case "GET", "schemas", "ids", number:
                return self._schema(int(number))
            case "POST", "subjects", subject:
                return self._look_up(subject, body["schema"])
            case "POST", "subjects", subject, "versions":
                return self._first(self._register(subject, body["schema"]))
            case "POST", "compatibility", "subjects", subject, "versions":
                is_taken = self._takes(subject, body["schema"])
                return web.json_response({"is_compatible": is_taken})
            case "GET", "subjects", subject, "versions":
                return self._versions(subject)
            case "GET", "subjects", subject, "versions", number:
                return self._version(subject, int(number))
            case "PUT", "config", subject:
                self.levels[subject] = body["compatibility"]
                return self._first(web.json_response(body))
        return _error(405, "no such call")

    def _first(self, answer: web.Response) -> web.Response:
        return _error(409, "it exists already") if self.crowded else answer

    def _schema(self, number: int) -> web.Response:
        if number not in self.schemas:
            return _error(404, "Schema not found", 40403)
        return web.json_response({"schema": self.schemas[number]})

    def _look_up(self, subject: str, text: str) -> web.Response:
        for version, number in enumerate(self.subjects.get(subject, ()), 1):
            if self.schemas[number] == text:
                found = {"subject": subject, "id": number, "version": version, "schema": text}
                return web.json_response(found)
        return _error(404, "Schema not found", 40403)

    def _takes(self, subject: str, text: str) -> bool:
        new_reads_old, old_reads_new = CHECKED.get(self.levels.get(subject, ""), (False, False))
        olds = [self.schemas[number] for number in self.subjects.get(subject, ())]
        return not any(
            (new_reads_old and not _reads(text, old)) or (old_reads_new and not _reads(old, text))
            for old in olds
        )

    def _register(self, subject: str, text: str) -> web.Response:
        if not self._takes(subject, text):
            return _error(409, "Schema being registered is incompatible")
        number = self._id(text)
        self.subjects.setdefault(subject, []).append(number)
        return web.json_response({"id": number})

    def _versions(self, subject: str) -> web.Response:
        if subject not in self.subjects:
            return _error(404, "Subject not found", 40401)
        return web.json_response(list(range(1, len(self.subjects[subject]) + 1)))

    def _version(self, subject: str, version: int) -> web.Response:
        number = self.subjects[subject][version - 1]
        found = {"subject": subject, "version": version, "id": number}
        return web.json_response(found | {"schema": self.schemas[number]})

    def _id(self, text: str) -> int:
        known = {kept: number for number, kept in self.schemas.items()}
        return known.get(text) or self._keep(text)

    def _keep(self, text: str) -> int:
        self.schemas[len(self.schemas) + 1] = text
        return len(self.schemas)


def _reads(reader: str, writer: str) -> bool:
    checker: Any = ReaderWriterCompatibilityChecker
    result = checker().get_compatibility(avro.schema.parse(reader), avro.schema.parse(writer))
    return bool(result.compatibility is SchemaCompatibilityType.compatible)


def _error(status: int, message: str, code: int | None = None) -> web.Response:
    body = {"error_code": code or status, "message": message}
    return web.json_response(body, status=status)


@asynccontextmanager
async def fake_registry() -> AsyncIterator[FakeRegistry]:
    """Serve until left, on the loop of the test: a call made on it would never be answered."""
    registry = FakeRegistry()
    async with served(registry.answer) as urls:
        registry.url = urls[0]
        yield registry
