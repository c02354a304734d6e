"""Free TCP ports on loopback, and the Kafka cluster that answers on one."""

import socket
import struct
from errno import EADDRNOTAVAIL
from itertools import chain
from random import SystemRandom

from infra.broker_config import HOST

SPARE = range(20_000, 30_000)
"""Below the ephemeral ports of Linux and macOS, which any outgoing connection may occupy."""
MAX_ANSWER = 1 << 20
"""Bytes; more is no answer of a local broker."""


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port now."""
    with socket.socket() as probe:
        # As servers do: a port counts as free while old connections of it are in TIME_WAIT.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError:
            return False
    return True


def free_or_any(port: int) -> int:
    """Return this port if it is free, else any free one; raises OSError."""
    return port if is_free(port) else any_free()


def any_free() -> int:
    """Return a free port that no outgoing connection can occupy before it is used.

    Raises:
        OSError: no port is free.
    """
    first = SystemRandom().randrange(SPARE.start, SPARE.stop)
    for port in chain(range(first, SPARE.stop), range(SPARE.start, first)):
        if is_free(port):
            return port
    raise OSError(EADDRNOTAVAIL, "no loopback port is free")


def cluster_at(port: int) -> str | None:
    """Return the id of the cluster to which the broker on this port belongs, None without one.

    A broker accepts connections only once it is registered, caught up and unfenced; one that
    does not list itself yet could not say to clients whom to ask.
    Source: Kafka protocol guide, Metadata (version 2, of no topic) and request header v1.
    """
    client = b"vokter"
    request = struct.pack(">hhih", 3, 2, 1, len(client)) + client + struct.pack(">i", 0)
    try:
        with socket.create_connection((HOST, port), timeout=30) as connection:
            connection.sendall(struct.pack(">i", len(request)) + request)
            answer = connection.makefile("rb")
            (size,) = struct.unpack(">i", answer.read(4))
            return _cluster_id(answer.read(size)) if 0 < size <= MAX_ANSWER else None
    except (OSError, struct.error, UnicodeDecodeError):
        return None  # nobody listens, or something other than Kafka


def _cluster_id(answer: bytes) -> str | None:
    """Return the cluster id of a Metadata answer that lists brokers, else None.

    Raises struct.error if it is no such answer.
    """
    _, brokers = struct.unpack_from(">ii", answer)
    if not brokers:
        return None
    position = 8
    for _ in range(brokers):
        position += 4  # its id
        _, position = _nullable_text(answer, position)  # its host
        position += 4  # its port
        _, position = _nullable_text(answer, position)  # its rack
    return _nullable_text(answer, position)[0]


def _nullable_text(answer: bytes, position: int) -> tuple[str | None, int]:
    (size,) = struct.unpack_from(">h", answer, position)
    begin = position + 2
    return (None, begin) if size < 0 else (answer[begin : begin + size].decode(), begin + size)
