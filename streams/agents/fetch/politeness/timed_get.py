"""How long a host takes to answer, apart from all else that a visit waits for."""

import asyncio

from schemas.records.answers import GetPage, PageQuery, Response


class TimedGet:
    """The requests of one visit; ``seconds`` is how long they took, None if there were none."""

    def __init__(self, get: GetPage) -> None:
        """Request pages with ``get``."""
        self._get = get
        self.seconds: float | None = None

    async def get(self, query: PageQuery) -> Response:
        """Request a page; raises what ``get`` raises."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            return await self._get(query)
        finally:
            self.seconds = (self.seconds or 0.0) + clock() - begun
