"""Responses to GET, whatever their bytes are and in whichever pieces they arrive."""

import asyncio
import gzip
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from aiohttp import ClientError
from hypothesis import given
from hypothesis import strategies as st

from connectors.http import routes
from connectors.http.errors import CUT_OFF, failure_reason
from connectors.http.get_response import UNTAKEN, GetResponse
from connectors.http.limits import Limits
from tests.harness.raw_site import got

LIMITS = Limits(head=2_000, wire=400_000)
OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = OK + b"Content-Length: 4\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX: early\r\n\r\n"
TRAILERS = CHUNKED + b"4;a=b\r\nZeus\r\n5\r\n Hera\r\n0\r\nX: late\r\n\r\n"


class Line(asyncio.Transport):
    """A connection that notes whether it is read from."""

    def __init__(self) -> None:
        super().__init__()
        self.is_paused = self.is_aborted = False

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False


def arrived(pieces: Sequence[bytes], *, is_lost: bool = True) -> GetResponse:
    """Receive a response in pieces, and perhaps the end of its connection."""
    response = GetResponse(Line(), LIMITS)
    for piece in filter(None, pieces):
        response.receive(piece)
    if is_lost:
        response.lose(None)
    return response


async def body(response: GetResponse) -> bytes:
    await response.arrived
    return b"".join([piece async for piece in response.content.iter_any()])


async def result(response: GetResponse) -> tuple[int, bytes | str]:
    """Return the status, and the body or why there is none."""
    try:
        return response.status, await body(response)
    except ClientError as error:
        return response.status, failure_reason(error)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (LENGTH + b"\r\nZeus", (200, b"Zeus")),
        (CHUNKED + b"4\r\nZeus\r\n5\r\n Hera\r\n0\r\n\r\n", (200, b"Zeus Hera")),
        (CHUNKED + b"4 \r\nZeus\r\n0\r\n\r\n", (200, b"Zeus")),
        (TRAILERS, (200, b"Zeus Hera")),
        (EARLY + EARLY + LENGTH + b"\r\nZeus", (200, b"Zeus")),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + LENGTH + b"\r\nZeus", (200, b"Zeus")),
        (OK + b"\r\nZeus", (200, b"Zeus")),
        (OK + b"Connection: close\r\n\r\nZeus", (200, b"Zeus")),
        (b"HTTP/1.0 200 OK\r\n\r\nZeus", (200, b"Zeus")),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nZeus", (200, b"Zeus")),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\nZeus", (304, b"")),
        (b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nZ", (204, b"")),
        (b"HTTP/1.1 101 Switch\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nZeus", (101, b"")),
        (OK + b"Upgrade: h2\r\nConnection: Upgrade\r\n\r\nZeus", (200, b"Zeus")),
        (LENGTH + b"Content-Length: 4\r\nOdd\r\n\r\nZeus and more", (200, b"Zeus")),
        (LENGTH + b"\r\nZeu", (200, CUT_OFF)),
        (CHUNKED + b"4\r\nZeus\r\n0\r\n", (200, CUT_OFF)),
        (CHUNKED + b"4\r\nZeus!", (200, "the response is not valid HTTP")),
        (CHUNKED + b"0\r\nContent-Length: 9\r\n\r\n", (200, "the response is not valid HTTP")),
        (b"", (0, "the server closed the connection without a response")),
        (EARLY, (0, "the server closed the connection without a response")),
        (EARLY * 99, (0, "headers larger than 2000 bytes")),
        (b"SSH-2.0-OpenSSH " * 9, (0, "the server does not speak HTTP")),
    ],
)
async def test_a_response_is_the_same_wherever_it_is_split(
    data: bytes, expected: tuple[int, bytes | str]
) -> None:
    splits = [data[:at] for at in range(len(data) + 1)]
    for first in splits:
        status, found = await result(arrived([first, data[len(first) :]]))
        if isinstance(expected[1], str) and isinstance(found, str):
            assert (status, found.startswith(expected[1])) == (expected[0], True)
        else:
            assert (status, found) == expected
    assert await result(arrived([bytes([byte]) for byte in data])) is not None


async def test_headers_of_an_interim_response_and_trailers_are_not_those_of_the_response() -> None:
    response = arrived([EARLY + TRAILERS])
    assert await body(response) == b"Zeus Hera"
    assert dict(response.headers) == {"Transfer-Encoding": "chunked"}
    assert response.content_length is None


@pytest.mark.parametrize(
    ("data", "is_reusable"),
    [
        (LENGTH + b"\r\nZeus", True),
        (CHUNKED + b"4\r\nZeus\r\n0\r\n\r\n", True),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", True),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", True),
        (EARLY + LENGTH + b"\r\nZeus", True),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nZeus", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nZeus", True),
        (LENGTH + b"Connection: close\r\n\r\nZeus", False),
        (LENGTH + b"\r\nZeu", False),
        (OK + b"\r\nZeus", False),
        (b"HTTP/1.1 101 Switch\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", False),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nZeus", False),
        (b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False),
        (LENGTH + b"\r\nZeusH", False),
        (LENGTH + b"\r\nZeusHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged", False),
        (CHUNKED + b"4\r\nZeus\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nX", False),
    ],
)
async def test_a_connection_is_used_again_only_after_the_exact_end_of_a_response(
    data: bytes, is_reusable: bool
) -> None:
    for at in range(len(data) + 1):
        response = arrived([data[:at], data[at:]], is_lost=False)
        assert response.is_reusable == is_reusable


async def test_a_response_with_too_many_headers_is_none() -> None:
    response = GetResponse(Line(), Limits())
    response.receive(b"HTTP/1.1 302 Found\r\nLocation: /\r\n" + 1_000 * b"A: b\r\n" + b"\r\n")
    assert await result(response) == (0, "the response is not valid HTTP: too many headers")


async def test_a_fault_in_the_middle_of_a_body_is_not_its_end() -> None:
    response = arrived([OK + b"\r\nZeus"], is_lost=False)
    response.lose(RuntimeError("a fault"))
    with pytest.raises(RuntimeError):
        await body(response)


async def test_reading_pauses_until_the_reader_takes_what_has_arrived() -> None:
    line, size = Line(), 3 * UNTAKEN
    response = GetResponse(line, Limits())
    response.receive(OK + b"Content-Length: %d\r\n\r\n" % size)
    for received in range(0, size, UNTAKEN // 2):
        assert line.is_paused == (received >= UNTAKEN)
        if line.is_paused:
            break
        response.receive(bytes(UNTAKEN // 2))
    reading = asyncio.create_task(body(response))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not line.is_paused
    response.receive(bytes(2 * UNTAKEN))
    assert len(await reading) == size
    assert not line.is_paused, "the connection is used again"


async def test_framing_without_content_pauses_reading_as_well() -> None:
    line = Line()
    response = GetResponse(line, Limits())
    response.receive(CHUNKED)
    chunk = b"5\r\nArgus\r\n"
    response.receive(chunk * (UNTAKEN // len(chunk) + 1))
    assert line.is_paused


def head_lines() -> st.SearchStrategy[list[bytes]]:
    line = st.sampled_from(
        [
            b"Content-Length: 4",
            b"Content-Length: 5",
            b"content-length : 4",
            b"Content-Length: -1",
            b"Content-Length: 99999999999999999999",
            b"Transfer-Encoding: chunked",
            b"Transfer-Encoding: gzip, chunked",
            b"Transfer-Encoding: identity",
            b"Connection: close",
            b"Connection: keep-alive",
            b"Upgrade: websocket",
            b"X: \xff\x01",
            b" folded",
            b"Odd",
            b"",
        ]
    )
    return st.lists(line, max_size=4)


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


@given(
    st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 200", b"HTTP/1.1 304 N", b"HTTP/1.1 100 C"]),
    head_lines(),
    st.lists(st.one_of(st.binary(max_size=9), st.binary(max_size=9).map(chunk)), max_size=5),
    st.lists(st.integers(1, 30), max_size=6),
)
def test_any_bytes_in_any_pieces_are_one_response_or_a_failure(
    first: bytes, lines: list[bytes], content: list[bytes], sizes: list[int]
) -> None:
    data = b"\r\n".join([first, *lines, b"", b""]) + b"".join(content)

    async def both() -> None:
        whole, split = arrived([data]), arrived(list(pieces(data, sizes)))
        found = [(await result(each), each.is_reusable) for each in (whole, split)]
        assert found[0][0][0] == found[1][0][0]
        bodies = [each[0][1] for each in found if isinstance(each[0][1], bytes)]
        assert len(set(bodies)) <= 1
        assert len(bodies) in (0, 2)
        assert all(len(each) <= len(data) for each in bodies)

    asyncio.run(both())


FIRST = [
    *(b"HTTP/1.1 200 OK", b"HTTP/1.0 200", b"HTTP/1.1 304 Not Modified", b"HTTP/1.1 101 Switch"),
    *(b"HTTP/1.1 100 Continue", b"HTTP/1.1 20 OK", b"HTTP/1.1", b"ICY 200 OK", b"HTTP/2 200"),
]


@given(
    st.sampled_from(FIRST),
    head_lines(),
    st.sampled_from([b"", b"Zeus", b"Zeus and more"]),
    st.booleans(),
)
def test_both_clients_read_the_same_or_fail_for_the_same_reason(
    first: bytes, lines: list[bytes], content: bytes, is_chunked: bool
) -> None:
    sent = chunk(content) + b"0\r\n\r\n" if is_chunked else content
    answer = b"\r\n".join([first, *lines, b"", b""]) + sent
    own = asyncio.run(got(answer))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "direct_client", routes.proxied_client)
        assert own == asyncio.run(got(answer))


def pieces(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    at = 0
    for size in sizes:
        yield data[at : at + size]
        at += size
    yield data[at:]


@given(st.binary(max_size=200), st.lists(st.integers(1, 30), max_size=6))
def test_what_is_no_response_is_a_failure_without_a_crash(data: bytes, sizes: list[int]) -> None:
    async def parse() -> None:
        with suppress(ClientError):
            await body(arrived(list(pieces(data, sizes))))

    asyncio.run(parse())


@given(st.binary(max_size=3_000), st.lists(st.integers(1, 500), max_size=20), st.integers(1, 99))
def test_chunks_of_any_size_are_joined(page: bytes, sizes: list[int], size: int) -> None:
    packed = gzip.compress(page)
    chunks = b"".join(map(chunk, filter(None, pieces(packed, sizes)))) + b"0\r\n\r\n"
    data = CHUNKED + chunks

    async def parse() -> None:
        response = arrived(
            [data[at : at + size] for at in range(0, len(data), size)], is_lost=False
        )
        assert await body(response) == packed
        assert response.is_reusable

    asyncio.run(parse())
