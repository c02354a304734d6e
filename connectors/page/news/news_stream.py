"""New notifications as server-sent events, each as its piece of the page."""

import asyncio

import structlog
from aiohttp import web
from aiohttp_sse import sse_response
from aiokafka.errors import KafkaError

from connectors.access.callers import caller
from connectors.kafka.live import Live
from connectors.languages.texts import gettext
from connectors.page.filters import HERE
from connectors.page.news.news_list import is_asked_for, news_search, shown_news
from connectors.page.rendering import HEADERS, PageRefused, Views
from connectors.page.session.guard import Gate, is_still_admitted
from connectors.serving.stream_slots import StreamSlots, TooManyStreams

log = structlog.get_logger()

HEARTBEAT_S = 15.0
"""Seconds between signs of life; an ended session is noticed then, too."""


class NewsStream:
    """The handler of live news; all streams share a reader of the topic with REST's."""

    def __init__(self, live: Live, slots: StreamSlots, gate: Gate, views: Views) -> None:
        """Stream the messages of ``live``, while there are ``slots``."""
        self._live = live
        self._slots = slots
        self._gate = gate
        self._views = views

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Stream the notifications from now on, by the filter in the address."""
        try:
            with self._slots.slot(caller(request).manager):
                return await self._stream(request)
        except TooManyStreams as error:
            raise PageRefused(429, str(error)) from None
        except (KafkaError, LookupError) as error:
            log.warning("live news have no broker", error=repr(error), once_a_minute="live news")
            raise PageRefused(503, gettext("The broker does not answer.")) from None

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        asked = news_search(request.query)
        async with (
            self._live.listen(caller(request).manager) as (listener, _, heard),
            sse_response(request, headers=HEADERS, ping_interval=HEARTBEAT_S) as response,
        ):
            tasks = [
                asyncio.create_task(response.wait()),
                asyncio.create_task(self._session_ends(request)),
            ]
            for each in tasks:
                each.add_done_callback(lambda _: listener.close())
            try:
                await response.send("", event="begin")
                async for news in heard:
                    if not is_still_admitted(request, self._gate):
                        break
                    if is_asked_for(news.fact, asked):
                        values = {"item": shown_news(news.fact), "here": HERE}
                        html = await self._views.text(request, "news_item", **values)
                        text = html.encode("utf-8", "replace").decode()
                        await response.send(text, event="news")
            except (ConnectionError, TimeoutError):
                pass  # the browser has gone, or does not read
            except KafkaError as error:  # the browser asks again
                log.warning("live news end", error=repr(error), once_a_minute="live news")
            finally:
                for each in tasks:
                    each.cancel()
        return response

    async def _session_ends(self, request: web.Request) -> None:
        # Its time passes, or its key is removed from a file: nothing says so.
        while is_still_admitted(request, self._gate):  # noqa: ASYNC110
            await asyncio.sleep(HEARTBEAT_S)
