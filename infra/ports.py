"""TCP ports on loopback, and a round trip to what listens on one."""

import socket
import struct
from errno import EADDRNOTAVAIL
from random import SystemRandom

from infra.broker_config import HOST

SPARE = range(20_000, 30_000)
"""Below those that Linux and macOS give to whoever asks for any, each connection among them."""


def is_free(port: int) -> bool:
    """Tells whether a server could listen on this port now."""
    with socket.socket() as probe:
        # As a server does it: a port with old connections in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError:
            return False
    return True


def any_free() -> int:
    """Returns a port that is free now, and that no connection of others will be given meanwhile.

    Raises:
        OSError: there is none.
    """
    for port in SystemRandom().sample(SPARE, len(SPARE)):
        if is_free(port):
            return port
    raise OSError(EADDRNOTAVAIL, "no port of loopback is free")


def speaks_kafka(port: int) -> bool:
    """Asks for ApiVersions (version 0); true if a broker answers without an error.

    A broker accepts no connection before it is registered, caught up and unfenced.
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
