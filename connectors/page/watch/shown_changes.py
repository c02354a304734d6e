"""The changes of a page in the list of its watch, and the outcomes of their notifications."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from aiohttp import web

from connectors.page.watch.asked_watch import AskedPage, WatchPorts
from connectors.page.watch.timeline import BRIEF, Arrival, ShownChange, arrival_of, shown_change
from connectors.serving.sending import SENDER
from connectors.stores.ports import FactReader
from schemas.records.subscriptions import Subscription


async def shown_changes(
    ports: WatchPorts,
    request: web.Request,
    watch: Subscription,
    page: AskedPage,
    changes: Sequence[Any],
) -> list[ShownChange]:
    """Show changes of a page of a watch."""
    ids = [ports.notification_id(change.id, page.subscription) for change in changes]
    found = await arrivals(ports.facts, watch.manager, [watch.receiver.name], ids)
    # One by one: other managers' answers are rendered between them.
    render = request.app[SENDER].render
    return [
        await render(partial(shown_change, change, ports.rows, BRIEF, arrival))
        for change, arrival in zip(changes, found, strict=True)
    ]


async def arrivals(
    facts: FactReader, manager: str, clients: Collection[str], ids: Sequence[str]
) -> list[Arrival]:
    """Load the outcome of each notification (its id) for some clients of a manager."""
    notified = await facts.with_ids("notification", manager, clients, ids)
    there = {fact.id for fact in notified.items}
    delivered = await facts.with_ids("delivery", manager, clients, ids)
    outcomes = {fact.notification: fact for fact in delivered.items}
    return [arrival_of(each, there, outcomes) for each in ids]
