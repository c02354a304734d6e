"""The ports on which a deployment's own processes listen."""

import json
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from streams.settings import Settings

MONGODB_PORT = 27017


class OwnPorts:
    """A container of the ports: those of the settings, and those noted in the data folder.

    A process notes the port of its metrics when it starts, which may be later, so the notes
    are read whenever a port is looked up. Only connections to private networks do that.
    """

    def __init__(self, settings: Settings) -> None:
        """Read the settings."""
        self._known = {settings.port, *_server_ports(settings)}
        self._metrics = settings.metrics_folder
        self._broker = settings.local_broker / "broker.json"

    def __contains__(self, port: object) -> bool:
        return port in self._known or any(port == each for each in self._noted())

    def all(self) -> set[int]:
        """Return all of them, for another process."""
        return {*self._known, *self._noted()}

    def _noted(self) -> Iterator[int]:
        for file in self._metrics.glob("*.json"):
            with suppress(OSError, ValueError, LookupError):  # it is being written or deleted
                yield int(json.loads(file.read_text("utf-8"))[0]["targets"][0].rpartition(":")[2])
        with suppress(OSError, ValueError, LookupError):
            broker = json.loads(self._broker.read_text("utf-8"))
            yield broker["port"]
            yield broker["controller_port"]


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
