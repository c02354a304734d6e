"""The head of a request to the guard proxy, and of its response."""

from dataclasses import dataclass
from urllib.parse import urlsplit

HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}


class BadHead(Exception):
    """A request not meant for a proxy."""


@dataclass(frozen=True, slots=True)
class Head:
    """A request: CONNECT (``is_tunnel``), or for an ``http:`` URL.

    ``target`` is its path and query, ``fields`` are the headers for the server.
    """

    method: str
    host: str
    port: int
    target: str
    fields: tuple[tuple[str, str], ...]
    authorization: str
    content_length: int

    @property
    def is_tunnel(self) -> bool:
        """Whether the browser wants a connection, not a single request."""
        return self.method == "CONNECT"


def parsed_head(data: bytes) -> Head:
    r"""Parse a request's head; raises BadHead or ValueError.

    >>> head = parsed_head(b"GET http://a.org:8080/x?y HTTP/1.1\r\nHost: a.org:8080\r\n\r\n")
    >>> head.host, head.port, head.target
    ('a.org', 8080, '/x?y')
    """
    first, *lines = data.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3:
        raise BadHead(first[:200])
    fields = tuple(_field(line) for line in lines)
    values = {name.lower(): value for name, value in fields}
    if "transfer-encoding" in values:  # its end could not be told from what follows it
        raise BadHead("a request of unknown length")
    method, target, _ = parts
    if method == "CONNECT":
        name, _, number = target.rpartition(":")
        if not name:
            raise BadHead("a tunnel to nowhere")
        host, port, path = name.strip("[]"), int(number), ""
    else:
        host, port, path = _absolute(target)
    return Head(
        method,
        host,
        port,
        path,
        fields=tuple(each for each in fields if each[0].lower() not in HOP_BY_HOP),
        authorization=values.get("proxy-authorization", "").removeprefix("Basic "),
        content_length=int(values.get("content-length", "0")),
    )


def closing_head(response: bytes) -> bytes:
    r"""Return a response's head with the notice of the connection's end.

    >>> closing_head(b"HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\nA: b\r\n\r\n")
    b'HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\n'
    """
    first, *lines = response.removesuffix(b"\r\n\r\n").split(b"\r\n")
    names = (b"connection", b"keep-alive", b"proxy-connection", b"alt-svc")
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in names]
    return b"\r\n".join((first, *kept, b"Connection: close", b"", b""))


def _field(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or name != name.strip() or not name:
        raise BadHead(line[:200])
    return name, value.strip()


def _absolute(target: str) -> tuple[str, int, str]:
    url = urlsplit(target)
    if url.scheme != "http" or not url.hostname:
        raise BadHead(target[:200])
    path = target.partition("://")[2].removeprefix(url.netloc) or "/"
    return url.hostname, url.port or 80, path
