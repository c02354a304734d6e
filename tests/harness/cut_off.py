"""A broker that some clients reach through a proxy, which can cut them off.

A client of aiokafka has one connection more to the broker that coordinates its group. The
proxy knows it by its requests, so a worker can lose its group and keep its topics.
"""

import asyncio
import re
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from infra import broker_config
from infra.broker import LocalBroker
from infra.identity import Identity
from infra.ports import any_free

OF_MEMBERS = frozenset({8, 11, 12, 14})
"""Numbers of the requests that members of a group make: commit, join, heartbeat, sync."""
LENGTH = struct.Struct(">i")
NUMBER = struct.Struct(">h")
CLIENT = struct.Struct(">hhih")
"""How each header of a request begins: number, version, correlation id, length of the client's
id, which follows."""
OF_BROKERS = re.compile(rb"(?:broker-|raft-client-)?(\d+)(?:-.*)?")
"""The client ids of brokers, with the number of the node."""
CHUNK = 65_536

Which = Callable[[bytes], bool]
"""Whether a request is held."""


def of_members(request: bytes) -> bool:
    """Whether a member of a group has sent a request, as such."""
    return NUMBER.unpack_from(request)[0] in OF_MEMBERS


def of_anybody(_: bytes) -> bool:
    """Every request is held."""
    return True


def of_node(node: int) -> Which:
    """Return whether a broker, by its number, has sent a request."""

    def is_from(request: bytes) -> bool:
        size = CLIENT.unpack_from(request)[-1]
        found = OF_BROKERS.fullmatch(request[CLIENT.size : CLIENT.size + max(size, 0)])
        return found is not None and int(found[1]) == node

    return is_from


class ProxiedBroker(LocalBroker):
    """A broker with one listener more, which is advertised with the address of the proxy."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 0)
        self.proxied, self.advertised = any_free(), any_free()

    def _server_config(self, kept: Identity) -> str:
        config = super()._server_config(kept)
        lines = dict(line.split("=", 1) for line in config.splitlines())
        self.change(lines)
        return "".join(f"{key}={value}\n" for key, value in lines.items())

    def change(self, lines: dict[str, str]) -> None:
        """Change the configuration."""
        listener = f"PROXIED://{broker_config.HOST}"
        lines["listeners"] += f",{listener}:{self.proxied}"
        lines["advertised.listeners"] += f",{listener}:{self.advertised}"
        lines["listener.security.protocol.map"] = (
            "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"
        )


class Proxy:
    """Passes requests and answers on, except those that it was told to hold."""

    def __init__(self, port: int, to: Callable[[], int]) -> None:
        """``to`` returns the port of the broker, which may be another one at each start."""
        self._port = port
        self._to = to
        self._held: tuple[Which, ...] = ()
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stranded: set[asyncio.Task[None]] = set()

    @classmethod
    def of(cls, broker: ProxiedBroker) -> "Proxy":
        """Return the proxy that a broker advertises."""
        return cls(broker.advertised, lambda: broker.proxied)

    @property
    def bootstrap(self) -> str:
        return f"{broker_config.HOST}:{self._port}"

    def hold(self, which: Which) -> None:
        """Hold such requests, and the answers too if it is all of them.

        Connections stay open, and new ones are accepted.
        """
        self._set((*self._held, which))

    def heal(self, which: Which) -> None:
        """Pass such requests on again, and what was held of them."""
        self._set(tuple(each for each in self._held if each is not which))

    def strand(self) -> None:
        """Let the connections of now hang, as when a machine is gone; new ones work."""
        self._stranded = set(self._tasks)

    def _set(self, held: tuple[Which, ...]) -> None:
        self._held = held
        self._changed.set()
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen until left."""
        server = await asyncio.start_server(self._accept, broker_config.HOST, self._port)
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()

    async def _accept(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A client that ends, or is ended, breaks its connection off anywhere.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._connect(client, answers)
        answers.close()

    async def _connect(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        broker, requests = await asyncio.open_connection(broker_config.HOST, self._to())
        back = asyncio.create_task(self._copy(broker, answers))
        try:
            while True:
                length = await client.readexactly(LENGTH.size)
                request = await client.readexactly(*LENGTH.unpack(length))
                while any(which(request) for which in self._held):
                    await self._changed.wait()
                if asyncio.current_task() in self._stranded:
                    await asyncio.Event().wait()
                requests.write(length + request)
                await requests.drain()
        finally:
            back.cancel()
            requests.close()

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await source.read(CHUNK):
                while of_anybody in self._held:
                    await self._changed.wait()
                sink.write(chunk)
                await sink.drain()
        sink.close()
