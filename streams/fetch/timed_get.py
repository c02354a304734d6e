"""How long a host takes to answer, apart from all else that a visit waits for."""

import asyncio
from collections.abc import Collection

from schemas.answers import Response
from streams.fetch.reaching import Get


class TimedGet:
    """The requests of one visit, and the ``seconds`` that they took."""

    def __init__(self, get: Get) -> None:
        """Request pages with ``get``."""
        self._get = get
        self.seconds = 0.0

    async def get(
        self, url: str, etag: str | None, last_modified: str | None, statuses: Collection[int]
    ) -> Response:
        """Request a page; raises what ``get`` raises."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            return await self._get(url, etag, last_modified, statuses)
        finally:
            self.seconds += clock() - begun
