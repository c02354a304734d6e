"""Pictures of a page, before and after a change."""

from dataclasses import dataclass

from aiohttp import web

from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import HEADERS, PageRefused
from connectors.page.watch.asked_watch import WatchPorts, one_watch, time_in
from connectors.serving.sending import chunks_of, send
from schemas.codec.times import epoch_ms
from schemas.records.subscriptions import Subscription

NO_PICTURE = msgid(
    "No picture of that time is kept: only those of the last two texts are, of views with "
    "screenshot."
)


@dataclass(frozen=True, slots=True)
class Pictures:
    """The times of kept pictures, for their addresses; empty for a missing picture."""

    before: str = ""
    after: str = ""


async def kept_pictures(
    ports: WatchPorts, subscription: Subscription, times: tuple[str, str]
) -> Pictures:
    """Find out which pictures are kept of two snapshots, by their times (empty: no snapshot)."""
    if not subscription.options.view.screenshot:
        return Pictures()
    found = [at if at and await _picture(ports, subscription, epoch_ms(at)) else "" for at in times]
    return Pictures(*found)


async def _picture(ports: WatchPorts, asked: Subscription, at: int | None) -> bytes | None:
    return await ports.texts.picture(asked.manager, asked.url, at, asked.id)


class PictureHandler:
    """The handler of pictures."""

    def __init__(self, ports: WatchPorts) -> None:
        """Read as REST does."""
        self._ports = ports

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """Answer with the picture of the text of a time."""
        subscription = (await one_watch(self._ports, request)).subscription
        found = await _picture(self._ports, subscription, time_in(request, "at"))
        if found is None:
            raise PageRefused(404, gettext(NO_PICTURE))
        headers = {**HEADERS, "Cache-Control": "no-store"}
        return await send(request, chunks_of(found), "image/jpeg", **headers)
