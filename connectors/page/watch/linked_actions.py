"""Signed links of messages: a page with a watch and a button, without a session."""

from dataclasses import dataclass
from typing import NamedTuple

from aiohttp import web
from cachetools import TTLCache

from connectors.access.callers import set_caller
from connectors.access.keys import ApiKey
from connectors.access.rates import CallRates
from connectors.languages.texts import gettext, msgid
from connectors.page.asking import accepted
from connectors.page.rendering import PageRefused, Views
from connectors.page.watch.asked_watch import WatchPorts
from connectors.page.watch.mutes import Mute, MuteHandlers, muted, mutes_of, offered_mutes
from connectors.requests.identity import request_about
from connectors.requests.outcomes import ClientRequests
from connectors.serving.forwarded import TrustedProxies
from connectors.signed_links import LINK_LIFETIME_S, LinkedAction, SignedLinks
from connectors.stores.pages import ListedSubscription
from schemas.records.notifications import Notification

PER_MINUTE = 120
"""The most links opened by an address; without a trusted proxy, all its users share an address."""
MAX_USED = 10_000
"""The most used links remembered by this process; a watch remembers by its state, too."""
_INVALID = msgid(
    "This link is not complete, or older than 30 days. Open the watch on Vokter's page."
)
_USED = msgid("This link has been used. Open the watch on Vokter's page to change it again.")


class _Texts(NamedTuple):
    """The texts of an action: its button, its effect, and its outcome."""

    button: str
    meaning: str
    done: str


_TEXTS = {
    "stop": _Texts(
        msgid("Stop this watch"),
        msgid("It is no longer checked, and nothing of it is notified any more."),
        msgid("Stopped"),
    ),
    "pause": _Texts(
        msgid("Pause this watch"),
        msgid("Nothing of it is notified until it is resumed on its page."),
        msgid("Paused"),
    ),
    "mute": _Texts(msgid("Mute"), "", msgid("Muted")),
}
_UNDONE = _Texts("", msgid("It goes on as before."), msgid("Watched again"))
_NOT_UNDONE = msgid("A stop can be undone for a minute. Open the watch on Vokter's page.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The action of a link, its watch, and its mute."""

    linked: LinkedAction
    one: ListedSubscription
    mute: Mute | None


class LinkHandlers:
    """The handlers of signed links."""

    def __init__(
        self,
        signed: SignedLinks,
        ports: WatchPorts,
        jobs: ClientRequests,
        muting: MuteHandlers,
        rates: CallRates,
        proxies: TrustedProxies,
        views: Views,
    ) -> None:
        """Read links by ``signed``; ``rates`` counts how many an address opens."""
        self._signed = signed
        self._ports = ports
        self._jobs = jobs
        self._muting = muting
        self._rates = rates
        self._proxies = proxies
        self._views = views
        self._used: TTLCache[str, bool] = TTLCache(MAX_USED, LINK_LIFETIME_S)
        """Whether the action of a used link stands, or has been undone."""

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the button of a link; nothing is done, for mail scanners follow links."""
        return await self._page(request, await self._asked(request), is_done=False)

    async def act(self, request: web.Request) -> web.Response:
        """Do the action of a link, for a person or the "unsubscribe" of a mail program.

        The form of a stop's outcome undoes the stop by the same link.
        """
        is_undo = "undo" in await request.post()
        asked = await self._asked(request, is_undo=is_undo)
        subscription = asked.one.subscription
        if is_undo:
            await accepted(self._jobs, request, request_about(subscription, "resume"))
        elif asked.mute is not None:
            await self._muting.replace(request, subscription, muted, asked.mute)
        elif asked.linked.action == "stop":
            await accepted(self._jobs, request, request_about(subscription, "cancel", undo=True))
        else:
            await accepted(self._jobs, request, request_about(subscription, asked.linked.action))
        self._used[request.match_info["token"]] = not is_undo
        return await self._page(request, asked, is_done=True, is_undo=is_undo)

    async def _page(
        self, request: web.Request, asked: _Asked, *, is_done: bool, is_undo: bool = False
    ) -> web.Response:
        texts = _UNDONE if is_undo else _TEXTS[asked.linked.action]
        return await self._views.page(
            request,
            "link",
            title=gettext(texts.done if is_done else texts.button),
            watch_name=asked.one.called or asked.one.subscription.document_url,
            meaning=asked.mute.meaning if asked.mute else gettext(texts.meaning),
            can_undo=is_done and not is_undo and asked.linked.action == "stop",
            passage=asked.mute.passage if asked.mute else "",
            is_done=is_done,
            watch=asked.one.subscription,
        )

    async def _asked(self, request: web.Request, *, is_undo: bool = False) -> _Asked:
        """Return the action of a link. Raises PageRefused if there is nothing left to do."""
        token = request.match_info["token"]
        if wait := self._rates.take(self._proxies.address(request), PER_MINUTE):
            reason = gettext("No more than %(num)s links a minute are opened.", num=PER_MINUTE)
            raise PageRefused(429, reason, wait)
        linked = self._signed.read(token)
        if linked is None:
            raise PageRefused(404, gettext(_INVALID))
        set_caller(request, ApiKey("", "", linked.manager))
        one = await self._ports.subscriptions.get(linked.manager, linked.subscription)
        if one is None:
            raise PageRefused(404, gettext(_INVALID))
        mute = await self._mute(linked)
        if is_undo:
            if not is_stopped_by(linked, one, was_used=self._used.get(token, False)):
                raise PageRefused(410, gettext(_NOT_UNDONE))
        elif token in self._used or is_used(linked, one, mute):
            raise PageRefused(410, gettext(_USED))
        return _Asked(linked, one, mute)

    async def _mute(self, linked: LinkedAction) -> Mute | None:
        """Load the mute of a link, None for another action."""
        if linked.action != "mute":
            return None
        fact = await self._ports.facts.notification(linked.manager, linked.notification)
        mute = None if fact is None else first_mute(fact)
        if mute is None:
            reason = gettext("The notification of this link is not kept any more.")
            raise PageRefused(404, reason)
        return mute


def first_mute(fact: Notification) -> Mute | None:
    """Return the mute of a notification's link, None without an offer.

    The return of the page, if returned; the passage, if only one changed; else noise.
    """
    offered = offered_mutes(fact)
    passages = [each for each in offered if each.kind == "passage"]
    returns = [each for each in offered if each.kind == "returns"]
    return next(iter([*returns, *(passages if len(passages) == 1 else []), *offered]), None)


def is_stopped_by(linked: LinkedAction, one: ListedSubscription, *, was_used: bool) -> bool:
    """Whether a link stopped a watch; the listing may lag the stop, which this process knows."""
    return linked.action == "stop" and one.ended is None and (was_used or one.state == "stopped")


def is_used(linked: LinkedAction, one: ListedSubscription, mute: Mute | None) -> bool:
    """Whether the state of a watch is already the state after a link."""
    if one.state not in ("active", "paused"):
        return True
    if linked.action == "pause" and one.state == "paused":
        return True
    return mute in mutes_of(one.subscription.options)
