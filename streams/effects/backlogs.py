"""Backlogs of pages, with the names of managers in place of their hashes."""

from collections.abc import Iterable

from connectors.metrics.waiting import Backlog
from streams.agents.match.register.counts import manager_hash


def with_names(backlogs: Iterable[Backlog], managers: Iterable[str]) -> list[Backlog]:
    """Return backlogs with the names of known managers.

    >>> with_names([Backlog("a.test", manager_hash("desk"), 200)], ["desk"])
    [Backlog(host='a.test', manager='desk', pages=200)]
    """
    names = {manager_hash(manager): manager for manager in managers}
    return [each._replace(manager=names.get(each.manager, each.manager)) for each in backlogs]
