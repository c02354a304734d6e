"""Mutes: a subscription is spared a piece of its news, by its options before and after."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from aiohttp import web
from cachetools import TTLCache

from connectors.languages.texts import gettext, msgid
from connectors.page.asking import accepted
from connectors.page.rendering import PageRefused, Views
from connectors.page.watch.asked_watch import WatchPorts, one_watch
from connectors.requests.identity import replacement_of
from connectors.requests.outcomes import ClientRequests
from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options, Subscription
from schemas.records.views import MAX_EXPRESSION, Quote, Selector

MAX_PASSAGES = 8
"""The most passages of a notification to mute."""
Kind = Literal["noise", "returns", "early", "passage"]
DAY = 24 * 3600
"""Seconds."""
_CHANGES: dict[Kind, dict[str, Any]] = {
    "noise": {"ignore_noise": True},
    "returns": {"ignore_returns": True},
    "early": {"patience": DAY},
}
"""The options of a subscription with a mute; a passage is excluded from the view."""
_UNMUTED = Options()
_LABELS = {
    "noise": msgid("Not when only numbers, times, ids or form change"),
    "returns": msgid("Not when the page goes back to an earlier text"),
    "early": msgid("Not before it stands for a day"),
    "passage": msgid("Not this passage"),
}
_MUTED = {
    "noise": msgid("Sentences in which only numbers, times, ids or form change are not notified."),
    "returns": msgid("A text that the page had before is not notified."),
    "early": msgid(
        "A change is notified once it has stood for a day, and not if it goes back before."
    ),
    "passage": msgid("The page is watched without this passage, or what becomes of it."),
}

MAX_CHANGED, LAG_S = 1_000, 60
"""Subscriptions whose last change is remembered, and for how long, because the store lags."""


@dataclass(frozen=True, slots=True)
class Mute:
    """A kind of change, or a ``passage`` of the page, without notification."""

    kind: Kind
    passage: str = ""

    @property
    def label(self) -> str:
        """The text of its button; the passage is shown next to the button."""
        return gettext(_LABELS[self.kind])

    @property
    def meaning(self) -> str:
        """The text while muted."""
        return gettext(_MUTED[self.kind])


def mute_of(fields: Mapping[str, Any]) -> Mute | None:
    """Return the mute in a form, None without a valid mute.

    >>> mute_of({"passage": "1,024 visitors"})
    Mute(kind='passage', passage='1,024 visitors')
    """
    # Browsers send line breaks of a form in their own way.
    passage = str(fields.get("passage", "")).replace("\r\n", "\n")
    if passage.strip():
        return Mute("passage", passage)
    return next((Mute(kind) for kind in _CHANGES if kind == fields.get("mute")), None)


def muted(options: Options, mute: Mute) -> Options:
    """Return the options of a subscription with a mute."""
    if mute.kind in _CHANGES:
        return replace(options, **_CHANGES[mute.kind])
    others = _without(options, mute.passage)
    return _excluding(options, (*others, Selector(quote=Quote(mute.passage))))


def unmuted(options: Options, mute: Mute) -> Options:
    """Return the options before a mute.

    >>> unmuted(muted(Options(), Mute("passage", "x")), Mute("passage", "x")) == Options()
    True
    """
    if mute.kind in _CHANGES:
        return replace(options, **{name: getattr(_UNMUTED, name) for name in _CHANGES[mute.kind]})
    return _excluding(options, _without(options, mute.passage))


def mutes_of(options: Options) -> list[Mute]:
    """Return the mutes of a subscription."""
    kinds = (kind for kind, change in _CHANGES.items() if replace(options, **change) == options)
    quotes = [each.quote for each in options.view.exclude if each.quote is not None]
    return [*map(Mute, kinds), *(Mute("passage", quote.exact) for quote in quotes)]


def offered_mutes(fact: Notification) -> list[Mute]:
    """Return the mutes offered by a notification."""
    if not fact.diffs:
        return []
    found = [Mute("noise")]
    found += [Mute("returns")] if fact.returned is not None else []
    found += [Mute("early")] if fact.stood is None else []
    passages = dict.fromkeys(_passages(fact.diffs))
    return found + [Mute("passage", each) for each in [*passages][:MAX_PASSAGES]]


def _passages(diffs: Iterable[Diff]) -> Iterable[str]:
    """Yield the texts on the present page, which can be found there."""
    for diff in diffs:
        passage = "" if diff.event == "removed" and not diff.after else diff.after or diff.text
        if passage.strip():
            yield passage[:MAX_EXPRESSION]


def _without(options: Options, passage: str) -> tuple[Selector, ...]:
    return tuple(
        each for each in options.view.exclude if each.quote is None or each.quote.exact != passage
    )


def _excluding(options: Options, exclude: tuple[Selector, ...]) -> Options:
    return replace(options, view=replace(options.view, exclude=exclude))


Change = Callable[[Options, Mute], Options]


class MuteHandlers:
    """The handlers of mutes; each replaces the options of a subscription and nothing else."""

    def __init__(self, ports: WatchPorts, jobs: ClientRequests, views: Views) -> None:
        """Change subscriptions with ``jobs``."""
        self._ports = ports
        self._jobs = jobs
        self._views = views
        self._changed: TTLCache[str, tuple[Options, Options]] = TTLCache(MAX_CHANGED, LAG_S)
        """By subscription: the stored options, and their replacements."""

    async def mute(self, request: web.Request) -> web.Response:
        """Mute the passage or kind in the form, and offer to undo the mute."""
        return await self._change(request, muted, "muted")

    async def unmute(self, request: web.Request) -> web.Response:
        """Undo a mute."""
        return await self._change(request, unmuted, "unmuted")

    async def _change(self, request: web.Request, change: Change, name: str) -> web.Response:
        mute = mute_of(await request.post())
        if mute is None:
            raise PageRefused(400, gettext("The form does not say what is to be muted."))
        one = await one_watch(self._ports, request)
        if one.ended is not None:
            reason = gettext("This watch has ended, so nothing of it is notified any more.")
            raise PageRefused(404, reason)
        await self.replace(request, one.subscription, change, mute)
        return await self._views.page(
            request,
            name,
            title=gettext("Muted") if name == "muted" else gettext("Notified again"),
            mute=mute,
            watch=one.subscription,
            watch_title=one.called,
        )

    async def replace(
        self, request: web.Request, subscription: Subscription, change: Change, mute: Mute
    ) -> None:
        """Replace the options of a subscription of the caller; raises PageRefused."""
        stored = subscription.options
        before, after = self._changed.get(subscription.id, (stored, stored))
        asked = change(after if stored == before else stored, mute)
        command = replace(replacement_of(subscription), options=asked)
        await accepted(self._jobs, request, command)
        self._changed[subscription.id] = (stored, asked)
