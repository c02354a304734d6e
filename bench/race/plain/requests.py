"""Requests of the plain pipeline: one after the other, a kept connection for each host."""

from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered."""

    status: int
    etag: str | None
    body: bytes


class Requests:
    """Connections by host and port."""

    def __init__(self) -> None:
        self._connections: dict[str, HTTPConnection] = {}

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Answer | None:
        """Return the answer, None if there is none; nothing is sent again."""
        parts = urlsplit(url)
        connection = self._connections.get(parts.netloc)
        if connection is None:
            connection = HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
            self._connections[parts.netloc] = connection
        try:
            connection.request(method, parts.path, body, dict(headers))
            response = connection.getresponse()
            return Answer(response.status, response.headers["ETag"], response.read())
        except (OSError, HTTPException):
            connection.close()
            return None
