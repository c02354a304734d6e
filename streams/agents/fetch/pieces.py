"""The pieces of work of each URL in the lines of their hosts: one for each request part."""

from collections.abc import Callable, Collection

from schemas.records.fetches import Due
from schemas.records.urls import host
from streams.agents.fetch.due_parts import pieces_of
from streams.agents.fetch.host_queues import HostQueues
from streams.agents.fetch.host_worker import Visit


class Pieces:
    """Puts what is due into the lines piece by piece, and removes all that a URL has there."""

    def __init__(self, queues: HostQueues[Due], cancelled: Callable[[Due], None]) -> None:
        """Use these lines; ``cancelled`` is called with what waits no longer."""
        self._queues = queues
        self._cancelled = cancelled
        self._keys: dict[str, set[str]] = {}
        """Of each URL with another piece than the plain one: those that may be in its line."""

    def add(self, due: Due) -> list[Visit[Due]]:
        """Let each piece of a document wait for its host.

        Pieces of request parts that no view has any more wait no longer.
        """
        pieces = pieces_of(due)
        for key in self._keys.get(due.url, {due.url}) - pieces.keys():
            unused = self._queues.cancel(host(due.url), key, lambda work: _is_newer(due, work))
            if unused is not None:
                self._cancelled(unused)
        self._note(due.url, pieces)
        return [self._add(key, piece) for key, piece in pieces.items()]

    async def drop(self, url: str, watch: str) -> None:
        """Let nothing of a watch wait any longer, and return when nothing of it is at work."""
        keys = self._keys.get(url, {url})
        await self._queues.drop(host(url), keys, lambda work: work.watch == watch)
        self._note(url, ())

    def clear(self) -> None:
        """Forget everything: another worker does it now."""
        self._keys.clear()

    def _add(self, key: str, piece: Due) -> Visit[Due]:
        """Let a piece wait; a command that is read again replaces no newer one.

        A view that is added is due now, while a command from before may wait for its slot.
        """
        waiting = self._queues.waiting(host(piece.url), key)
        if waiting is not None and not _is_newer(piece, waiting.work):
            return waiting
        return self._queues.add(host(piece.url), key, piece, piece.managers)

    def _note(self, url: str, keys: Collection[str]) -> None:
        known = self._keys.get(url, {url})
        here = {key for key in known if self._queues.has(host(url), key)} | set(keys)
        if here <= {url}:
            self._keys.pop(url, None)
        else:
            self._keys[url] = here


def _is_newer(piece: Due, waiting: Due) -> bool:
    return piece.slot >= waiting.slot or _asks_for_more(piece, waiting)


def _asks_for_more(piece: Due, waiting: Due) -> bool:
    """Whether a piece of a document has views, or links to find, of which another knows nothing."""
    links = {view.id: view.links for view in waiting.views}
    is_known_elsewhere = {*links, *waiting.elsewhere}.issuperset(piece.elsewhere)
    has_more = any(view.links > links.get(view.id, -1) for view in piece.views)
    return has_more or not is_known_elsewhere
