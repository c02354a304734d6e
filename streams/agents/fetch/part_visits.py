"""The visits of each URL that wait for its host: one for each request part."""

from collections.abc import Callable, Collection
from dataclasses import replace

from schemas.records.fetches import Due
from schemas.records.urls import host
from streams.agents.fetch.host_queues import HostQueues
from streams.agents.fetch.host_worker import Visit
from streams.agents.fetch.request_parts import parts_of


class PartVisits:
    """Lets each request part of what is due wait, and removes all that a URL has waiting."""

    def __init__(self, queues: HostQueues[Due], cancelled: Callable[[Due], None]) -> None:
        """Use these queues; ``cancelled`` is called with what waits no longer."""
        self._queues = queues
        self._cancelled = cancelled
        self._keys: dict[str, set[str]] = {}
        """The keys that may wait, of each URL with another request part than the plain one."""

    def add(self, due: Due) -> list[Visit[Due]]:
        """Let each request part of a document wait for its host.

        Those that no view has any more wait no longer.
        """
        parts, of_host = parts_of(due), host(due.url)
        known = self._keys.get(due.url, {due.url})
        if known != parts.keys():  # of most pages there is the plain part alone
            for key in known - parts.keys():
                unused = self._queues.cancel(of_host, key, lambda work: _is_newer(due, work))
                if unused is not None:
                    self._cancelled(unused)
            self._note(due.url, parts)
        return [self._add(of_host, key, part) for key, part in parts.items()]

    async def drop(self, url: str, watch: str) -> None:
        """Let nothing of a watch wait any longer, and return when nothing of it is at work."""
        keys = self._keys.get(url, {url})
        await self._queues.drop(host(url), keys, lambda work: work.watch == watch)
        self._note(url, ())

    def clear(self) -> None:
        """Forget everything: another worker does it now."""
        self._keys.clear()

    def _add(self, of_host: str, key: str, part: Due) -> Visit[Due]:
        """Let a request part wait; a command that is read again replaces no newer one.

        A view that is added is due now, while a command from before may wait for its slot. Of two
        commands, one that no failure postpones is in the other, too.
        """
        waiting = self._queues.waiting(of_host, key)
        if waiting is not None:
            newer = part if _is_newer(part, waiting.work) else waiting.work
            is_asked = part.interval is None or waiting.work.interval is None
            part = replace(newer, interval=None) if is_asked else newer
            if part == waiting.work:
                return waiting
        return self._queues.add(of_host, key, part, part.managers)

    def _note(self, url: str, keys: Collection[str]) -> None:
        known = self._keys.get(url, {url})
        here = {key for key in known if self._queues.has(host(url), key)} | set(keys)
        if here <= {url}:
            self._keys.pop(url, None)
        else:
            self._keys[url] = here


def _is_newer(part: Due, waiting: Due) -> bool:
    """Return whether a part is not earlier, or has views or links that the waiting one lacks."""
    if part.slot >= waiting.slot:
        return True
    links = {view.id: view.links for view in waiting.views}
    is_known_elsewhere = {*links, *waiting.elsewhere}.issuperset(part.elsewhere)
    has_more = any(view.links > links.get(view.id, -1) for view in part.views)
    return has_more or not is_known_elsewhere
