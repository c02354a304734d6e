"""Requests for pages that keep our own faults apart from those of a page."""

from collections.abc import Callable

from schemas.records.answers import FailureKind, GetPage, PageQuery, Response
from schemas.records.urls import host
from streams.agents.fetch.politeness.uplink import Uplink
from streams.agents.fetch.put_off import PutOff


class Reaching:
    """Requests pages, and puts off those that our own connection could not reach."""

    def __init__(self, get: GetPage, kind_of: Callable[[Exception], FailureKind]) -> None:
        """``kind_of`` says of an error of ``get`` what it may be due to."""
        self._get = get
        self._kind_of = kind_of
        self._uplink = Uplink()

    async def get(self, query: PageQuery) -> Response:
        """Request a page; raises what ``get`` raises, or PutOff if that is not the page's fault."""
        name = host(query.url)
        try:
            response = await self._get(query)
        except Exception as error:
            kind = self._kind_of(error)
            if kind == "ours":
                raise PutOff(str(error)) from error
            if self._uplink.failed(name, kind):
                reason = "no other host has answered since, so our own connection may be down"
                raise PutOff(f"{error}; {reason}") from error
            raise
        self._uplink.answered(name)
        return response
