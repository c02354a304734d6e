"""A site whose responses are written by the byte, on a free loopback port."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy
from tests.harness.waiting import TIMEOUT_S

RUDE = Politeness(obeys_robots=False)

Asked = dict[str, str]
"""A request: its headers by their names in lower case, and its ``path``."""
Answering = bytes | Callable[[Asked], bytes]


def response(body: bytes | str = b"", *fields: str, status: str = "200 OK") -> bytes:
    """Return a response with a length, and with these lines in its head."""
    content = body.encode() if isinstance(body, str) else body
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *fields)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class RawSite:
    """Sends the bytes for a path, or what a function makes of the request, and closes."""

    def __init__(self, answers: Mapping[str, Answering]) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self._answers = answers

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["RawSite"]:
        """Serve until the end of the block."""
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            yield self

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        asked = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        asked["path"] = first.split(" ")[1]
        self.asked.append(asked)
        answer = self._answers[asked["path"]]
        writer.write(answer if isinstance(answer, bytes) else answer(asked))
        writer.close()


async def visited(
    site: RawSite, path: str = "/", politeness: Politeness = RUDE, limits: Limits | None = None
) -> Response:
    """Fetch a page of a site as the agent does. Raises FetchFailed."""
    guard = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
    async with Fetcher(guard, politeness, limits or Limits(total=TIMEOUT_S)) as fetcher:
        return await fetcher.get(PageQuery(site.url + path))


async def got(answer: Answering) -> bytes | str:
    """Return the body of a response, or the reason why it is refused."""
    async with RawSite({"/": answer}).serving() as site:
        try:
            return (await visited(site)).body
        except FetchFailed as error:
            return str(error)
