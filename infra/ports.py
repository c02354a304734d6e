"""Free TCP ports on loopback, and a check whether a Kafka broker listens on one."""

import socket
import struct
from errno import EADDRNOTAVAIL
from random import SystemRandom

from infra.broker_config import HOST

SPARE = range(20_000, 30_000)
"""Below the ephemeral ports of Linux and macOS, which any outgoing connection may occupy."""


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port now."""
    with socket.socket() as probe:
        # As servers do: a port whose old connections are in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError:
            return False
    return True


def any_free() -> int:
    """Return a free port that no outgoing connection can occupy before it is used.

    Raises:
        OSError: no port is free.
    """
    for port in SystemRandom().sample(SPARE, len(SPARE)):
        if is_free(port):
            return port
    raise OSError(EADDRNOTAVAIL, "no loopback port is free")


def speaks_kafka(port: int) -> bool:
    """Request ApiVersions (version 0); return whether a broker answers without an error.

    A broker accepts connections only once it is registered, caught up and unfenced.
    Source: Kafka protocol guide, ApiVersions and request header v1.
    """
    client = b"vokter"
    header = struct.pack(">hhih", 18, 0, 1, len(client)) + client
    try:
        with socket.create_connection((HOST, port), timeout=30) as connection:
            connection.sendall(struct.pack(">i", len(header)) + header)
            answer = connection.makefile("rb").read(10)
    except OSError:
        return False
    return len(answer) == 10 and struct.unpack(">iih", answer)[1:] == (1, 0)
