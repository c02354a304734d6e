"""Visits that are postponed for a reason that is not the page's, such as our own connection."""

from collections.abc import Callable, Sequence

from schemas.records.answers import FailureKind, GetPage, PageQuery, Response
from schemas.records.urls import host
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.politeness.own_connection import OwnConnection


class Postponed(Exception):
    """A visit has to be repeated later, and counts as no failure; the text says why."""

    def __init__(self, reason: str, states: Sequence[CachedState] | None = None) -> None:
        """``states`` are what to cache of the page, None if that is for the store to say."""
        super().__init__(reason)
        self.states = states


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
