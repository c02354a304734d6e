"""Responses that browsers read although no standard allows them, and half ones that they show."""

import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.http.decoding import MAX_CODINGS, MAX_MEMBERS, decoded
from connectors.http.errors import FetchFailed
from connectors.http.response_head import strict_head
from tests.harness.hostile import zstd_compressed
from tests.harness.raw_site import RawSite, got, response, visited

pytestmark = pytest.mark.usefixtures("each_client")

PAGE = "".join(f"<p>Argus has {eye} eyes.</p>" for eye in range(3_000)).encode()
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd_compressed,
}
LENGTH = b"Content-Length: 4\r\n"
CUT_OFF = "incomplete: the connection ended before the response"


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + LENGTH + LENGTH,
        b"HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 04\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: four\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length:\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nX-Powered : PHP\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nGarbage\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\n: no name\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nA name: x\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\n\xfc\xe4: x\r\nX: \xfc\xe4\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nX: a\0b\x01\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nX: a\rb\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\n c\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\r\nX: a\r\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: text/html\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\nContent-Length: 4\n",
        b"HTTP/1.1 200\r\n" + LENGTH,
        b"HTTP/1.1 200 OK\r\n" + b"Set-Cookie: a=b\r\n" * 900 + LENGTH,
        b"HTTP/1.1 200 \xc3\xa9\x00\r\n" + LENGTH,
        b"http/1.1 200 OK\r\n" + LENGTH,
        b"HTTP/1.1  200  OK\r\n" + LENGTH,
        b"HTTP/2 200\r\n" + LENGTH,
        b"HTTP 200 OK\r\n" + LENGTH,
        b"\r\n\r\nHTTP/1.1 200 OK\r\n" + LENGTH,
        b"HTTP/1.1 103 Early Hints\r\nodd\r\n\r\nHTTP/1.1 200 OK\r\nodd\r\n" + LENGTH,
    ],
)
async def test_a_head_that_browsers_read_is_read(head: bytes) -> None:
    assert await got(head + b"\r\nZeus") == b"Zeus"


@pytest.mark.parametrize(
    ("types", "read_as"),
    [
        (["text/plain", "text/html"], "text/html"),
        (["text/html, text/html"], "text/html"),
        (["text/html; charset=latin1", "TEXT/HTML"], "text/html; charset=latin1"),
        (["text/html; charset=latin1", "text/plain"], "text/plain"),
        (["html"], "html"),
        (["text/html; charset=utf-8"], "text/html; charset=utf-8"),
    ],
)
async def test_of_several_content_types_the_last_counts(types: list[str], read_as: str) -> None:
    fields = (f"Content-Type: {each}" for each in types)
    async with RawSite({"/": response(PAGE, *fields)}).serving() as site:
        assert (await visited(site)).content_type == read_as


async def test_chunks_go_before_a_length_as_in_browsers() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n"
    assert await got(head + b"\r\n4\r\nZeus\r\n0\r\n\r\n") == b"Zeus"
    twice = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
    assert await got(twice + b"\r\n4\r\nZeus\r\n0\r\n\r\nrubbish") == b"Zeus"


@pytest.mark.parametrize("tail", [b"\r\n", b"rubbish", b"HTTP/1.1 404 Not Found\r\n\r\n"])
async def test_what_follows_the_length_of_a_response_is_passed_over(tail: bytes) -> None:
    assert await got(response(PAGE) + tail) == PAGE
    assert await got(response(PAGE, "Connection: close") + tail) == PAGE


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (response(PAGE)[:-1], CUT_OFF),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nZeus\r\n", CUT_OFF),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nZeus", CUT_OFF),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "the server closed the connection without a response"),
        (b"", "the server closed the connection without a response"),
        (b"HTTP/1.1 200 OK\r\n" + LENGTH + b"Content-Length: 5\r\n\r\nZeus!", "not valid HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZeus\r\n", "not valid HTTP"),
        (b"HTTP/1.1 none\r\n" + LENGTH + b"\r\nZeus", "not valid HTTP"),
        (b"<html>" + PAGE, "the server does not speak HTTP"),
    ],
)
async def test_a_response_that_is_none_is_a_failure_of_which_the_site_said_nothing(
    answer: bytes, why: str
) -> None:
    reason = await got(answer)
    assert isinstance(reason, str)
    assert why in reason
    assert "message" not in reason
    assert "400" not in reason


@pytest.mark.parametrize(
    "coding", ["none", "identity", "utf-8", "UTF-8", "iso-8859-1", "text/html", "", "binary", "?"]
)
async def test_a_content_encoding_that_is_none_changes_nothing(coding: str) -> None:
    assert await got(response(PAGE, f"Content-Encoding: {coding}")) == PAGE


@pytest.mark.parametrize("coding", PACKED)
@pytest.mark.parametrize("tail", [b"", b"\r\n", b"rubbish" * 1_000, bytes(999)])
async def test_what_follows_the_end_of_a_coding_is_passed_over(coding: str, tail: bytes) -> None:
    packed = PACKED[coding](PAGE) + tail
    assert await got(response(packed, f"Content-Encoding: {coding}")) == PAGE


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        (["x-gzip"], gzip.compress(PAGE)),
        (["GZIP"], gzip.compress(PAGE)),
        (["gzip, utf-8"], gzip.compress(PAGE)),
        (["deflate, gzip"], gzip.compress(zlib.compress(PAGE))),
        (["gzip, gzip"], gzip.compress(gzip.compress(PAGE))),
        (["gzip", "br"], brotli.compress(gzip.compress(PAGE))),
        # Named twice by two programs, and done once.
        (["gzip, gzip"], gzip.compress(PAGE)),
        (["gzip", "gzip"], gzip.compress(PAGE)),
        (["gzip"], gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:])),
        (["deflate"], zlib.compress(PAGE)[2:-4]),  # deflate alone
        (["gzip"], gzip.compress(PAGE)[:-8]),  # without its sum
        (["gzip"], gzip.compress(PAGE)[:-8] + bytes(8)),  # with a wrong one
        (["zstd"], b"\x50\x2a\x4d\x18\x03\0\0\0any" + 2 * zstd_compressed(PAGE[: len(PAGE) // 2])),
    ],
    ids=lambda each: str(each) if isinstance(each, list) else "",
)
async def test_codings_are_undone_as_they_were_done(fields: list[str], body: bytes) -> None:
    page = PAGE if "zstd" not in fields else 2 * PAGE[: len(PAGE) // 2]
    assert await got(response(body, *(f"Content-Encoding: {each}" for each in fields))) == page


@pytest.mark.parametrize("coding", PACKED)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
async def test_a_coding_that_is_cut_off_is_a_failure(coding: str, share: float) -> None:
    packed = PACKED[coding](PAGE)
    answer = response(packed[: int(len(packed) * share)], f"Content-Encoding: {coding}")
    assert await got(answer) == f"incomplete: its content encoding {coding} is cut off"


@pytest.mark.parametrize("coding", PACKED)
async def test_another_body_than_its_coding_is_a_failure(coding: str) -> None:
    answer = response("<!doctype\0html>", f"Content-Encoding: {coding}")
    assert await got(answer) == f"its content encoding {coding} is broken"
    assert await got(response("", f"Content-Encoding: {coding}")) == b""


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "zstd", "gzip, gzip"])
async def test_a_text_with_the_name_of_a_coding_alone_is_read(coding: str) -> None:
    assert await got(response(PAGE, f"Content-Encoding: {coding}")) == PAGE


@given(st.sampled_from(sorted(PACKED)), st.binary(max_size=60), st.integers(0, 60))
def test_any_bytes_are_decoded_or_a_failure(coding: str, body: bytes, cut: int) -> None:
    for each in (body, PACKED[coding](body)[:cut] + body):
        with suppress(FetchFailed):
            list(decoded(each, coding))


def test_what_is_decoded_again_and_again_is_bounded() -> None:
    with pytest.raises(FetchFailed, match="broken"):
        list(decoded(gzip.compress(b"") * (MAX_MEMBERS + 2), "gzip"))


async def test_more_codings_than_anybody_uses_are_refused() -> None:
    codings = ", ".join(["gzip"] * (MAX_CODINGS + 1))
    answer = response(gzip.compress(PAGE), f"Content-Encoding: {codings}")
    assert await got(answer) == f"more than {MAX_CODINGS} content encodings"


async def test_a_bomb_in_a_bomb_is_refused() -> None:
    bomb = gzip.compress(gzip.compress(bytes(100_000_000), 1))
    reason = await got(response(bomb, "Content-Encoding: gzip, gzip"))
    assert reason == "larger than 10000000 bytes"


@given(st.binary(max_size=99), st.lists(st.sampled_from([b"A: b", b"c", b":", b"\r", b"D:\0"])))
def test_any_head_is_written_strictly_once(first: bytes, lines: list[bytes]) -> None:
    head = strict_head(b"HTTP/1.1 200 " + first + b"\r\n" + b"\r\n".join(lines) + b"\r\n\r\n")
    assert strict_head(head) == head
