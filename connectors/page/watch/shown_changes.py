"""The changes of a page in the list of its watch: each in brief, with its outcome."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from aiohttp import web

from connectors.page.watch.asked_watch import AskedPage, WatchPorts
from connectors.page.watch.timeline import BRIEF, ShownChange, arrival_of, shown_change
from connectors.serving.sending import SENDER
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
    load = partial(
        ports.facts.with_ids,
        manager=watch.manager,
        clients=[watch.receiver.name],
        ids=ids,
    )
    notified = {fact.id for fact in (await load("notification")).items}
    deliveries = {fact.notification: fact for fact in (await load("delivery")).items}

    def shown(change: Any, name: str) -> ShownChange:
        return shown_change(change, ports.rows, BRIEF, arrival_of(name, notified, deliveries))

    # One by one: other managers' answers are rendered between them.
    render = request.app[SENDER].render
    pairs = zip(changes, ids, strict=True)
    return [await render(partial(shown, each, name)) for each, name in pairs]
