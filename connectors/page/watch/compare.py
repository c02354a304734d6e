"""Any two snapshots of a watch's page, compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import PageRefused, Views
from connectors.page.watch.asked_watch import WatchPorts, layout_of, layouts, one_watch, time_in
from connectors.page.watch.pictures import Pictures, kept_pictures
from connectors.page.watch.timeline import WHOLE, Differences, shown_differences, summary
from connectors.processes.errors import Interrupted, TooHard
from connectors.serving.sending import SENDER
from connectors.turns import TooManyWaiting, Turns
from schemas.codec.times import rfc3339
from schemas.records.subscriptions import Subscription

MAX_LISTED = 100
"""The most snapshots to choose from, the newest."""
MAX_COMPARED = 2
"""The most comparisons at a time, a single one per manager, while as many wait."""
_NOT_KEPT = msgid(
    "No text of %(time)s is kept. The last texts of a page are, so many of them and for so many "
    "days as whoever runs Vokter has chosen."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of two texts, None without two, or the reason why they are not known."""

    summary: str = ""
    differences: Differences | None = None
    reason: str = ""


class CompareHandler:
    """The handler of comparisons."""

    def __init__(self, ports: WatchPorts, views: Views) -> None:
        """Read as REST does."""
        self._ports = ports
        self._views = views
        self._turns = Turns(MAX_COMPARED, 1, MAX_COMPARED)

    async def compare(self, request: web.Request) -> web.Response:
        """Answer with the differences between two snapshots, by default the last two."""
        one = await one_watch(self._ports, request)
        subscription = one.subscription
        kept = await self._ports.texts.snapshots(
            subscription.manager, subscription.url, None, MAX_LISTED, subscription.id
        )
        times = [each.at for each in kept.items] if kept else []
        first, last = _asked(request, times)
        compared = Comparison()
        pictures = Pictures()
        chosen = [at for at in (first, last) if at is not None]
        if first is not None and last is not None:
            compared = await self._compared(request, subscription, first, last)
            pictures = await kept_pictures(
                self._ports, subscription, (rfc3339(first), rfc3339(last))
            )
        return await self._views.page(
            request,
            "compare",
            title=gettext("Compare: %(watch)s", watch=one.called or subscription.document_url),
            watch=subscription.id,
            page=one.called or "",
            url=subscription.document_url,
            times=list(map(rfc3339, sorted({*times, *chosen}, reverse=True))),
            first="" if first is None else rfc3339(first),
            last="" if last is None else rfc3339(last),
            pictures=pictures,
            layout=layout_of(request),
            layouts=layouts(request),
            compared=compared,
        )

    async def _compared(
        self, request: web.Request, subscription: Subscription, first: int, last: int
    ) -> Comparison:
        before = await self._text(subscription, first)
        after = await self._text(subscription, last)
        try:
            async with self._turns.turn(subscription.manager):
                regions = await self._ports.compare(before, after)
        except TooManyWaiting:
            reason = gettext(
                "You compare other texts at the moment. Try again when they are shown."
            )
            return Comparison(reason=reason)
        except (TooHard, Interrupted, OSError) as error:
            reason = gettext("They could not be compared: %(reason)s.", reason=error)
            return Comparison(reason=reason)
        shown = partial(shown_differences, regions, self._ports.rows, WHOLE)
        differences = await request.app[SENDER].render(shown)
        return Comparison(summary(regions), differences)

    async def _text(self, subscription: Subscription, at: int) -> str:
        asked = subscription.manager, subscription.url, at, subscription.id
        found = await self._ports.texts.snapshot(*asked)
        if found is None:
            raise PageRefused(404, gettext(_NOT_KEPT, time=rfc3339(at)))
        return found[1]


def _asked(request: web.Request, times: Sequence[int]) -> tuple[int | None, int | None]:
    """Return which snapshots an address asks for, or the last two (``times``: newest first)."""
    first, last = time_in(request, "from"), time_in(request, "to")
    if last is None:
        last = times[0] if times else None
    if first is None and last is not None:
        first = next((at for at in times if at < last), None)
    return first, last
