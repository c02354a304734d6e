"""Requests for pages that keep our own faults apart from those of a page."""

from collections.abc import Callable

from schemas.records.answers import FailureKind, GetPage, PageQuery, Response
from schemas.records.urls import host
from streams.agents.fetch.politeness.own_connection import OwnConnection
from streams.agents.fetch.postponed import Postponed


def postponing_get(get: GetPage, kind_of: Callable[[Exception], FailureKind]) -> GetPage:
    """Return ``get``, which raises Postponed for an error that our own connection may have caused.

    ``kind_of`` says of an error of ``get`` what it may be due to.
    """
    connection = OwnConnection()

    async def postponing(query: PageQuery) -> Response:
        name = host(query.url)
        try:
            response = await get(query)
        except Exception as error:
            kind = kind_of(error)
            if kind == "ours":
                raise Postponed(str(error)) from error
            if connection.failed(name, kind):
                reason = "no other host has answered since, so our own connection may be down"
                raise Postponed(f"{error}; {reason}") from error
            raise
        connection.answered(name)
        return response

    return postponing
