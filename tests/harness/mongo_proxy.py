"""A proxy in front of a MongoDB server: counts commands, and makes each round trip longer."""

import asyncio
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from urllib.parse import urlsplit

HOST = "127.0.0.1"
LENGTH = struct.Struct("<i")
COMMAND = 26
"""Bytes of a message (OP_MSG) before the name of its command."""


@dataclass
class MongoProxy:
    """Passes commands on after ``delay_s``, and answers at once."""

    url: str
    delay_s: float = 0.0
    commands: Counter[str] = field(default_factory=Counter)
    """The number of times that each command was sent."""

    @contextmanager
    def running(self) -> Iterator[str]:
        """Listen in a thread until left; the URL of the same database through the proxy.

        The driver blocks its own event loop when it closes a client.
        """
        begun: Future[tuple[int, Callable[[], object]]] = Future()
        thread = Thread(target=lambda: asyncio.run(self._serve(begun)))
        thread.start()
        port, stop = begun.result()
        to = urlsplit(self.url)
        query = "&".join(filter(None, (to.query, "directConnection=true")))
        try:
            yield to._replace(netloc=f"{HOST}:{port}", query=query).geturl()
        finally:
            stop()
            thread.join()

    async def _serve(self, begun: "Future[tuple[int, Callable[[], object]]]") -> None:
        server = await asyncio.start_server(self._accept, HOST)
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()
        port = server.sockets[0].getsockname()[1]
        begun.set_result((port, lambda: loop.call_soon_threadsafe(stopped.set)))
        await stopped.wait()
        server.close()

    async def _accept(self, client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        to = urlsplit(self.url)
        server, requests = await asyncio.open_connection(to.hostname, to.port)
        passing = asyncio.create_task(_pass_answers(server, answers))
        # A client breaks its connections off anywhere when it closes.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._pass_commands(client, requests)
        passing.cancel()
        requests.close()
        answers.close()

    async def _pass_commands(
        self, client: asyncio.StreamReader, requests: asyncio.StreamWriter
    ) -> None:
        while True:
            head = await client.readexactly(LENGTH.size)
            rest = await client.readexactly(LENGTH.unpack(head)[0] - LENGTH.size)
            name = (head + rest)[COMMAND:].partition(b"\0")[0].decode("ascii", "replace")
            self.commands[name] += 1
            await asyncio.sleep(self.delay_s)
            requests.write(head + rest)
            await requests.drain()


async def _pass_answers(server: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
    while answer := await server.read(65_536):
        answers.write(answer)
        await answers.drain()
