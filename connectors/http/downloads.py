"""Reads the bodies of responses, within a budget for all that are being read at a time."""

import asyncio

from aiohttp import ClientResponse

from connectors.http.errors import FetchFailed, OutOfRoom
from connectors.http.headers import ascii_only
from connectors.http.limits import Limits

ENCODINGS = {"", "identity", "gzip", "deflate", "br", "zstd"}
YIELD_AFTER = 100_000
"""Bytes of a document after which reading it yields the event loop."""
DOWNLOAD_BUDGET, SMALL = 128_000_000, 500_000
"""Bytes of all documents being downloaded; a small document may exceed the budget."""


class Downloads:
    """The bodies that are being read."""

    def __init__(self, limits: Limits) -> None:
        """Begin with none."""
        self._limits = limits
        self._bytes = 0

    async def read(self, response: ClientResponse) -> bytes:
        """Return the decoded body; raises FetchFailed, or OutOfRoom if there are too many."""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ENCODINGS:
            raise FetchFailed(f"unknown content encoding {ascii_only(encoding)!r}")
        if (response.content_length or 0) > self._limits.wire:
            raise FetchFailed(f"larger than {self._limits.wire} bytes on the wire")
        body = bytearray()
        try:
            async for chunk in response.content.iter_any():
                body += chunk
                self._bytes += len(chunk)
                if len(body) > self._limits.body:
                    raise FetchFailed(f"larger than {self._limits.body} bytes")
                if self._bytes > DOWNLOAD_BUDGET and len(body) > SMALL:
                    raise OutOfRoom("too large while other large documents are being fetched")
                if len(body) > YIELD_AFTER:  # decompressing alone never waits
                    await asyncio.sleep(0)
            return bytes(body)
        finally:
            self._bytes -= len(body)
