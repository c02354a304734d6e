"""The ports on which a deployment's own processes listen."""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from streams.settings import Settings

MONGODB_PORT = 27017
_UNREADABLE = suppress(OSError, ValueError, LookupError)
"""A note that is being written or deleted is left out."""
NOTED_FOR_S = 0.25
"""Seconds for which noted ports are known: a look at each file for each connection took 4 % of
the CPU of a check in a private network."""


class OwnPorts:
    """A container of the ports: those of the settings, and those noted in the data folder.

    A process notes the port of its metrics at its start, perhaps later, so the notes are read
    again and again. Only connections to private networks need them.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        """Read the settings."""
        self._known = {settings.port, *_server_ports(settings)}
        self._metrics = settings.metrics_folder
        self._broker = settings.local_broker / "broker.json"
        self._clock = clock
        self._noted: set[int] = set()
        self._noted_until = -math.inf

    def __contains__(self, port: object) -> bool:
        if self._clock() >= self._noted_until:
            self._noted = set(self._read())
            self._noted_until = self._clock() + NOTED_FOR_S
        return port in self._known or port in self._noted

    def all(self) -> set[int]:
        """Return all of them, for another process."""
        return {*self._known, *self._read()}

    def _read(self) -> Iterator[int]:
        for file in self._metrics.glob("*.json"):
            with _UNREADABLE:
                note = json.loads(file.read_text("utf-8"))
                yield int(note[0]["targets"][0].rpartition(":")[2])
        with _UNREADABLE:
            broker = json.loads(self._broker.read_text("utf-8"))
            yield from (broker["port"], broker["controller_port"])


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
