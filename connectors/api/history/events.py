"""GET /events: the notifications of a manager as they come (server-sent events)."""

import asyncio
import json
import re

from aiohttp import web
from aiohttp_sse import EventSourceResponse, sse_response
from aiokafka.errors import KafkaError

from connectors.api.access.middleware import caller
from connectors.api.answers import INVALID_FORMAT, NO_ANSWER, QUOTA, answer
from connectors.api.history.facts import fact_json
from connectors.kafka.live import Heard, Live, NoSuchPlace, Positions

HEARTBEAT = 15.0
LONGEST = 3600.0
"""Seconds after which a stream ends, so that its key is looked at again."""
MOST = 100
"""Streams of one process."""
_ID = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})*")


class EventStreams:
    """The handler."""

    def __init__(self, live: Live) -> None:
        """Take what gives the notifications."""
        self._live = live
        self._count = 0

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Tell each notification, from the one behind ``Last-Event-ID`` on, or from now on."""
        last = request.headers.get("Last-Event-ID", "")
        if last and not _ID.fullmatch(last):
            return _invalid()
        if self._count >= MOST:
            return answer(QUOTA, detail=f"{MOST} streams at once are allowed")
        self._count += 1
        try:
            return await self._stream(request, _positions(last))
        except (KafkaError, LookupError):
            return answer(NO_ANSWER)
        except NoSuchPlace:
            return _invalid()
        finally:
            self._count -= 1

    def close(self) -> None:
        """End all streams."""
        self._live.close()

    async def _stream(self, request: web.Request, after: Positions | None) -> web.StreamResponse:
        manager = caller(request).manager
        async with self._live.listen(manager, after) as (listener, begin, heard):
            async with sse_response(request, ping_interval=HEARTBEAT) as response:
                gone = asyncio.create_task(response.wait())
                gone.add_done_callback(lambda _: listener.close())
                end = asyncio.get_running_loop().call_later(LONGEST, listener.close)
                try:
                    await response.send("{}", id=_name(begin), event="begin")
                    async for each in heard:
                        await _tell(response, each)
                except (ConnectionError, TimeoutError):
                    pass  # whoever listened is gone, or takes nothing
                finally:
                    end.cancel()
            return response


async def _tell(response: EventSourceResponse, heard: Heard) -> None:
    text = json.dumps(fact_json(heard.fact), ensure_ascii=False)
    await response.send(text, id=_name(heard.positions), event="notification")


def _name(positions: Positions) -> str:
    return ".".join(map(str, positions))


def _positions(name: str) -> Positions | None:
    return tuple(map(int, name.split("."))) if name else None


def _invalid() -> web.Response:
    return answer(INVALID_FORMAT, detail="Last-Event-ID: only one that was told is allowed")
