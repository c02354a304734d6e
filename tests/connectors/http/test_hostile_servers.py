"""The fetcher against hostile servers, one limit at a time."""

import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy
from tests.harness.hostile import OK, QUICK, SLOWLY, Answer, Hostile, packed
from tests.harness.waiting import TIMEOUT_S

pytestmark = pytest.mark.usefixtures("each_client")

ENCODINGS = ("gzip", "deflate", "br", "zstd")
GROWTH = 64_000_000
ROOT = Path(__file__).parents[3]
RUDE = Politeness(obeys_robots=False)


def fetcher(limits: Limits) -> Fetcher:
    return Fetcher(EgressGuard(EgressPolicy(["127.0.0.0/8"])), RUDE, limits)


async def fetched(answer: Answer, total: float = TIMEOUT_S, **limits: int) -> Response:
    limited = Limits(total=total, **limits)
    async with Hostile(answer).serving() as url, fetcher(limited) as client:
        return await client.get(PageQuery(url))


@pytest.mark.parametrize("name", QUICK)
async def test_a_response_that_exceeds_a_limit_is_a_failure_with_its_reason(name: str) -> None:
    answer, why = QUICK[name]
    with pytest.raises(FetchFailed, match=why) as raised:
        await fetched(answer)
    assert str(raised.value) != "timed out"


@pytest.mark.parametrize("name", SLOWLY)
async def test_a_server_that_sends_slowly_is_a_failure_after_the_total_timeout(name: str) -> None:
    with pytest.raises(FetchFailed, match="timed out"):
        await fetched(SLOWLY[name], total=0.3)


async def test_a_handshake_that_never_ends_is_a_failure_after_the_connect_timeout() -> None:
    async with Hostile(SLOWLY["nothing"]).serving() as url, fetcher(Limits(connect=0.2)) as client:
        with pytest.raises(FetchFailed, match="timed out"):
            await client.get(PageQuery(url.replace("http:", "https:")))


@pytest.mark.parametrize(("size", "is_taken"), [(1000, True), (1001, False)])
async def test_the_limit_on_the_wire_counts_every_byte(size: int, is_taken: bool) -> None:
    head = OK + b"Content-Length: 500\r\nA: "
    head += b"x" * (size - len(head) - 504) + b"\r\n\r\n"

    def answer() -> list[bytes]:
        return [head + b"x" * 500]

    if is_taken:
        assert len((await fetched(lambda: iter(answer()), wire=1000)).body) == 500
    else:
        with pytest.raises(FetchFailed, match="larger than 1000 bytes on the wire"):
            await fetched(lambda: iter(answer()), wire=1000)


async def test_the_limits_apply_to_each_response_of_a_connection() -> None:
    body = OK + b"Content-Length: 500\r\n\r\n" + b"x" * 500

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(3):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server, fetcher(Limits(head=200, wire=600)) as client:
        for _ in range(3):
            assert len((await client.get(PageQuery(url))).body) == 500


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_compression_bomb_is_refused_while_it_is_decompressed(encoding: str) -> None:
    with pytest.raises(FetchFailed, match="larger than 10000000 bytes"):
        await fetched(packed(encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_page_that_is_not_a_bomb_is_decompressed(encoding: str) -> None:
    body = (await fetched(packed(encoding), body=100_000_000)).body
    assert body == bytes(100_000_000)


WITNESS = """
import asyncio, resource, sys
from connectors.http import routes
from connectors.http.errors import FetchFailed
from schemas.records.answers import PageQuery
from tests.connectors.http.test_hostile_servers import Limits, fetcher

def peak():
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024

async def main():
    if sys.argv[1] == "aiohttp":
        routes.direct_client = routes.proxied_client
    async with fetcher(Limits()) as client:
        before = peak()
        for url in sys.argv[2:]:
            try:
                await client.get(PageQuery(url))
            except FetchFailed:
                continue
            raise SystemExit("a bomb was taken")
        print(peak() - before)

asyncio.run(main())
"""


async def test_compression_bombs_use_little_memory(each_client: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [Hostile(packed(encoding)) for encoding in ENCODINGS]
        servers += [Hostile(QUICK[name][0]) for name in QUICK]
        urls = [await stack.enter_async_context(server.serving()) for server in servers]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", WITNESS, each_client, *urls, stdout=subprocess.PIPE, cwd=ROOT
        )
        printed, _ = await process.communicate()
    assert process.returncode == 0
    assert int(printed) <= GROWTH
