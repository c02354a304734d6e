"""The ports on which a deployment's own processes listen."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from streams.settings import Settings

MONGODB_PORT = 27017
_REMEMBERED = 1_000

FileState = tuple[int, int, int]
"""Marks of a file which a write changes: inode, size and time."""


class OwnPorts:
    """A container of the ports: those of the settings, and those noted in the data folder.

    A process notes the port of its metrics at its start, perhaps later, so the notes are read at
    each look-up of a port. Only connections to private networks do so.
    """

    def __init__(self, settings: Settings) -> None:
        """Read the settings."""
        self._known = {settings.port, *_server_ports(settings)}
        self._metrics = settings.metrics_folder
        self._broker = str(settings.local_broker / "broker.json")

    def __contains__(self, port: object) -> bool:
        return port in self._known or any(port == each for each in self._noted())

    def all(self) -> set[int]:
        """Return all of them, for another process."""
        return {*self._known, *self._noted()}

    def _noted(self) -> Iterator[int]:
        with suppress(OSError):  # there is no folder
            for file in os.scandir(self._metrics):
                if file.name.endswith(".json"):
                    yield from _noted_in(file.path, _metrics_ports)
        yield from _noted_in(self._broker, _broker_ports)


def _noted_in(file: str, read: Callable[[str, FileState], tuple[int, ...]]) -> tuple[int, ...]:
    """Return the ports noted in a file; the file is read again only after a write."""
    with suppress(OSError, ValueError, LookupError):  # it is being written or deleted
        found = os.stat(file)  # noqa: PTH116 - for each connection, and without a Path
        return read(file, (found.st_ino, found.st_size, found.st_mtime_ns))
    return ()


@lru_cache(_REMEMBERED)
def _metrics_ports(file: str, _: FileState) -> tuple[int, ...]:
    note = json.loads(Path(file).read_text("utf-8"))
    return (int(note[0]["targets"][0].rpartition(":")[2]),)


@lru_cache(_REMEMBERED)
def _broker_ports(file: str, _: FileState) -> tuple[int, ...]:
    broker = json.loads(Path(file).read_text("utf-8"))
    return broker["port"], broker["controller_port"]


def _server_ports(settings: Settings) -> Iterator[int]:
    store = settings.store_url.partition("//")[2].partition("/")[0].rpartition("@")[2]
    secret = settings.schema_registry_url
    registries = secret.get_secret_value().split(",") if secret else []
    servers = [
        *(settings.kafka or "").split(","),
        *store.split(","),
        *(urlsplit(url).netloc for url in registries),
        settings.metrics,
        urlsplit(settings.browser or "").netloc,
    ]
    for server in servers:
        port = server.rpartition(":")[2]
        if port.isdecimal() and int(port):
            yield int(port)
    if settings.store_url.startswith("mongodb"):
        yield MONGODB_PORT
