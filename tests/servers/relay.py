"""A process in front of a server that tests may not stop: they stop the relay instead.

``python relay.py HOST:PORT HOST:PORT``: passes connections to the first address on to the second.
"""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from tests.servers.ferretdb.server import FerretDB


class Relay(FerretDB):
    """Killed or stopped, its connections break or hang as those of the server would."""

    name = "Relay"

    def __init__(self, to: str, folder: Path) -> None:
        """``to`` is the address of the server, HOST:PORT."""
        super().__init__(Path(__file__), folder)
        self._to = to

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return [sys.executable, "-m", "tests.servers.relay", self.address, self._to]


async def relay(listen: str, to: str) -> None:
    """Serve until killed."""

    async def accept(client: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        server, requests = await asyncio.open_connection(*to.split(":"))
        await asyncio.gather(_pass_on(client, requests), _pass_on(server, answers))

    async with await asyncio.start_server(accept, *listen.split(":")) as server:
        await server.serve_forever()


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # an end that breaks its connection off
        while some := await source.read(65_536):
            target.write(some)
            await target.drain()
    target.close()


if __name__ == "__main__":
    asyncio.run(relay(*sys.argv[1:]))
