"""How long a host takes to answer, apart from all else that a visit waits for."""

import asyncio
from collections.abc import Collection

from schemas.answers import GetPage, Response
from schemas.page_requests import PageRequest


class TimedGet:
    """The requests of one visit; ``seconds`` is how long they took, None if there were none."""

    def __init__(self, get: GetPage) -> None:
        """Request pages with ``get``."""
        self._get = get
        self.seconds: float | None = None

    async def get(
        self,
        url: str,
        etag: str | None,
        last_modified: str | None,
        statuses: Collection[int],
        request: PageRequest,
    ) -> Response:
        """Request a page; raises what ``get`` raises."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            return await self._get(url, etag, last_modified, statuses, request)
        finally:
            self.seconds = (self.seconds or 0.0) + clock() - begun
