"""Mute a part of a watch from its news, and undo that."""

from collections.abc import Callable

from aiohttp import web
from cachetools import TTLCache

from connectors.page.asking import accepted
from connectors.page.rendering import PageRefused, Views
from connectors.page.watch.asked_watch import WatchPorts, one_watch
from connectors.page.watch.mutes import Mute, mute_of, muted, unmuted
from connectors.requests.outcomes import ClientRequests
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Subscription

MAX_CHANGED, LAG_S = 1_000, 60
"""Subscriptions whose last change is remembered, and for how long, because the store lags."""

Change = Callable[[Options, Mute], Options]


class MuteHandlers:
    """The handlers of mutes; each replaces the options of a subscription and nothing else."""

    def __init__(self, ports: WatchPorts, jobs: ClientRequests, views: Views) -> None:
        """Change subscriptions with ``jobs``."""
        self._ports = ports
        self._jobs = jobs
        self._views = views
        self._changed: TTLCache[str, tuple[Options, Options]] = TTLCache(MAX_CHANGED, LAG_S)
        """By subscription: the options that the store had, and those that replaced them."""

    async def mute(self, request: web.Request) -> web.Response:
        """Mute what the form asks for, and offer to undo it."""
        return await self._change(request, muted, "muted")

    async def unmute(self, request: web.Request) -> web.Response:
        """Undo that."""
        return await self._change(request, unmuted, "unmuted")

    async def _change(self, request: web.Request, change: Change, name: str) -> web.Response:
        mute = mute_of(await request.post())
        if mute is None:
            raise PageRefused(400, "The form does not say what is to be muted.")
        one = await one_watch(self._ports, request)
        if one.ended is not None:
            raise PageRefused(404, "This watch has ended, so nothing of it is notified any more.")
        await self._replace(request, one.subscription, change, mute)
        return await self._views.page(
            request,
            name,
            title="Muted" if name == "muted" else "Notified again",
            mute=mute,
            watch=one.subscription,
            watch_title=one.title,
        )

    async def _replace(
        self, request: web.Request, subscription: Subscription, change: Change, mute: Mute
    ) -> None:
        stored = subscription.options
        before, after = self._changed.get(subscription.id, (stored, stored))
        asked = change(after if stored == before else stored, mute)
        command = Subscribe(
            subscription.document_url,
            subscription.receiver,
            keywords=subscription.keywords,
            options=asked,
            replace=True,
        )
        await accepted(self._jobs, request, command)
        self._changed[subscription.id] = (stored, asked)
