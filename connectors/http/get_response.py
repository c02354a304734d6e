"""The response to a GET: its head and its body, as far as they have arrived."""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import ClientPayloadError, ServerDisconnectedError
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from multidict import CIMultiDict

from connectors.http.errors import CUT_OFF
from connectors.http.limits import Limits, Meter, ResponseRefused
from connectors.http.response_head import no_http

UNTAKEN = 262_144
"""Bytes that are received, without the reader taking any, before the transport pauses."""
_PIECE = 65_536
"""Bytes of a body to parse before the counters are checked again."""
_MAX_LINES = 1_000
"""Lines of a head."""
_SWITCHING_PROTOCOLS = 101


class Surplus(Exception):
    """Bytes that follow the end of a response."""


class GetBody:
    """The pieces of a body, between the parser and the reader.

    Flow control bounds the memory: after UNTAKEN bytes of which the reader has taken none, the
    transport stops reading, and the rest waits in the kernel and at the server. UNTAKEN is what
    a transport reads at a time, so the event loop has its turn after each full read: otherwise
    uvloop reads up to 32 times in a row, and one read may be 50,000 chunks, which take 4 ms.
    """

    __slots__ = ("_error", "_is_ended", "_pieces", "_transport", "_untaken", "_waiting", "size")

    def __init__(self, transport: asyncio.Transport) -> None:
        self.size = 0
        self._transport = transport
        self._pieces: list[bytes] = []
        self._untaken = 0
        self._is_ended = False
        self._error: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None

    async def iter_any(self) -> AsyncIterator[bytes]:
        """Yield the pieces as they arrive; raises the error that ended the response."""
        while True:
            if self._pieces:
                pieces, self._pieces = self._pieces, []
                yield b"".join(pieces)
            elif self._error is not None:
                raise self._error
            elif self._is_ended:
                return
            else:
                self._untaken = 0
                self._waiting = asyncio.get_running_loop().create_future()
                if not self._transport.is_closing():
                    self._transport.resume_reading()
                await self._waiting

    def at_eof(self) -> bool:
        """Return whether all of it has arrived and was taken."""
        return self._is_ended and not self._pieces

    def feed(self, piece: bytes) -> None:
        """Add a piece."""
        self.size += len(piece)
        self._pieces.append(piece)

    def end(self, error: Exception | None = None) -> None:
        """End the body, too early if there is an error."""
        self._is_ended, self._error = True, error
        self._wake()

    def note_received(self, size: int) -> None:
        """Note that so many bytes were received and parsed; pause after too many."""
        self._untaken += size
        if self._untaken >= UNTAKEN and not (self._is_ended or self._transport.is_closing()):
            self._transport.pause_reading()
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class GetResponse:
    """One response; the parser calls its methods ``on_…``."""

    __slots__ = (
        *("_is_ended", "_meter", "_parser", "arrived", "content", "has_begun", "headers"),
        *("is_reusable", "status"),
    )

    def __init__(self, transport: asyncio.Transport, limits: Limits) -> None:
        self.status = 0
        self.headers: CIMultiDict[str] = CIMultiDict()
        self.content = GetBody(transport)
        self.arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the head has arrived."""
        self.has_begun = False
        self.is_reusable = False
        """Whether its connection can be used for another request."""
        self._is_ended = False
        self._meter = Meter(limits)
        self._parser: HttpResponseParser | None = HttpResponseParser(self)
        # What strict_head() leaves, and what browsers forgive in chunks.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    @property
    def content_length(self) -> int | None:
        """Length of the body, None if the head does not say it."""
        length = self.headers.get("Content-Length")
        return None if length is None else int(length)

    def receive(self, data: bytes) -> None:
        """Parse what has arrived; errors are raised where head and body are awaited."""
        self.has_begun = True
        try:
            self._parse(data)
        except ResponseRefused as error:
            self.fail(error)
        except (HttpParserError, HttpParserUpgrade) as error:
            self.fail(ClientPayloadError(no_http(str(error))))

    def lose(self, error: Exception | None) -> None:
        """Note the end of the connection, which is the end of a body without a length."""
        is_fault = error is not None and not isinstance(error, OSError)  # one of ours
        if not self.status or is_fault:
            self.fail(error or ServerDisconnectedError())
        elif "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.fail(ClientPayloadError(CUT_OFF))
        else:
            self._end()

    def fail(self, error: Exception) -> None:
        """End the response too early; what follows its end is no error of it."""
        self.is_reusable = False
        self._end(error)

    def _end(self, error: Exception | None = None) -> None:
        if self._is_ended:
            return
        self._is_ended, self._parser = True, None  # which refers to this response
        self.content.end(error)
        if error is not None and not self.arrived.done():
            self.arrived.set_exception(error)

    def _parse(self, data: bytes) -> None:
        size = len(data)
        while data and self._parser is not None and not self.status:
            head, data = self._meter.head(data)
            if head.count(b"\n") > _MAX_LINES:
                raise ResponseRefused(no_http("too many headers"))
            try:
                self._parser.feed_data(head)
            finally:  # a 101 ends the work of the parser
                if self.status:  # the head is written strictly
                    lines = head.decode("utf-8", "surrogateescape").split("\r\n")[1:-2]
                    self.headers = CIMultiDict([line.partition(": ")[::2] for line in lines])
        # In pieces, because the beginning of a body that is too large is shown to people.
        for at in range(0, len(data), _PIECE):
            if self._parser is None:
                self.is_reusable = False
                return
            piece = data[at : at + _PIECE]
            self._meter.count(len(piece))
            self._parser.feed_data(piece)
            self._meter.check_framing(self.content.size)
        if data:
            self.content.note_received(size)

    def on_message_begin(self) -> None:
        """Refuse a second response: no request has asked for it."""
        if self._is_ended:
            raise Surplus

    def on_headers_complete(self) -> None:
        """Note the head, unless it is that of an interim response."""
        assert self._parser is not None
        status = self._parser.get_status_code()
        if status >= 200 or status == _SWITCHING_PROTOCOLS:
            self.status = status
            if not self.arrived.done():
                self.arrived.set_result(None)

    def on_body(self, piece: bytes) -> None:
        """Add a piece of the body."""
        self.content.feed(piece)

    def on_message_complete(self) -> None:
        """End the response; another one follows an interim response."""
        assert self._parser is not None
        if self.status:
            self.is_reusable = self._parser.should_keep_alive()
            self._end()
