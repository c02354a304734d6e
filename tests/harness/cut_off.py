"""A broker that some clients reach through a proxy, which can cut off a group's coordinator.

A client of aiokafka has one connection more to the broker that coordinates its group. The
proxy knows it by its requests, so a worker can lose its group and keep its topics.
"""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from infra import broker_config
from infra.broker import LocalBroker
from infra.ports import any_free

OF_MEMBERS = frozenset({8, 11, 12, 14})
"""Numbers of the requests that members of a group make: commit, join, heartbeat, sync."""
LENGTH = struct.Struct(">i")
NUMBER = struct.Struct(">h")
CHUNK = 65_536


class ProxiedBroker(LocalBroker):
    """A broker with one listener more, which is advertised with the address of the proxy."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, 0)
        self.proxied, self.advertised = any_free(), any_free()

    def _configure(self, command: list[str]) -> None:
        super()._configure(command)
        path = self.data_dir / broker_config.SERVER_PROPERTIES
        lines = dict(line.split("=", 1) for line in path.read_text("utf-8").splitlines())
        listener = f"PROXIED://{broker_config.HOST}"
        lines["listeners"] += f",{listener}:{self.proxied}"
        lines["advertised.listeners"] += f",{listener}:{self.advertised}"
        lines["listener.security.protocol.map"] = (
            "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"
        )
        path.write_text("\n".join(f"{k}={v}" for k, v in lines.items()), "utf-8")


class Proxy:
    """Passes requests on; while ``is_cut``, none of a group's members gets through or back."""

    def __init__(self, broker: ProxiedBroker) -> None:
        self.bootstrap = f"{broker_config.HOST}:{broker.advertised}"
        self._broker = broker
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stranded: set[asyncio.Task[None]] = set()

    @property
    def is_cut(self) -> bool:
        return not self._open.is_set()

    def cut(self) -> None:
        """Hold all requests of members; their connections stay open."""
        self._open.clear()

    def strand(self) -> None:
        """Let the connections of now hang, as when a machine is gone; new ones work."""
        self._stranded = set(self._tasks)

    def heal(self) -> None:
        """Pass on what was held."""
        self._open.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen until left."""
        server = await asyncio.start_server(
            self._accept, broker_config.HOST, self._broker.advertised
        )
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
        broker, requests = await asyncio.open_connection(broker_config.HOST, self._broker.proxied)
        back = asyncio.create_task(_copy(broker, answers))
        try:
            while True:
                length = await client.readexactly(LENGTH.size)
                request = await client.readexactly(*LENGTH.unpack(length))
                if NUMBER.unpack_from(request)[0] in OF_MEMBERS:
                    await self._open.wait()
                if asyncio.current_task() in self._stranded:
                    await asyncio.Event().wait()
                requests.write(length + request)
                await requests.drain()
        finally:
            back.cancel()
            requests.close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(CHUNK):
            sink.write(chunk)
            await sink.drain()
    sink.close()
