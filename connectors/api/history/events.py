"""GET /events: a manager's notifications as server-sent events."""

import asyncio
import json
import re

import structlog
from aiohttp import web
from aiohttp_sse import sse_response
from aiokafka.errors import KafkaError

from connectors.access.callers import caller
from connectors.api.admission import is_still_caller
from connectors.api.answers import answer
from connectors.api.history.facts import fact_json
from connectors.kafka.listener import Positions
from connectors.kafka.live import Live, UnknownPositions
from connectors.serving.stream_slots import StreamSlots, TooManyStreams
from schemas.records.codes import Code

log = structlog.get_logger()

HEARTBEAT_S = 15.0
"""Seconds between signs of life; an invalid key is noticed then, too."""
MAX_STREAM_S = 3600.0
"""A stream ends after this time; its client asks for another stream."""
_ID = re.compile(r"(?:(?P<topic>[0-9a-f]{32})\.)?(?P<positions>[0-9]{1,18}(\.[0-9]{1,18})*)")


class EventStreams:
    """The handler of live notifications."""

    def __init__(self, live: Live, slots: StreamSlots) -> None:
        """Stream the messages of ``live``, while there are ``slots``."""
        self._live = live
        self._slots = slots

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Stream the notifications after ``Last-Event-ID``, or from now on."""
        last, manager = request.headers.get("Last-Event-ID", ""), caller(request).manager
        known = _ID.fullmatch(last)
        if last and not known:
            return _invalid()
        after = tuple(map(int, known["positions"].split("."))) if known else None
        topic_id = (known["topic"] or "") if known else ""
        try:
            with self._slots.slot(manager):
                return await self._stream(request, after, topic_id)
        except TooManyStreams as error:
            return answer(Code.QUOTA, detail=str(error))
        except (KafkaError, LookupError):
            return answer(Code.NO_ANSWER)
        except UnknownPositions:
            return _invalid()

    def close(self) -> None:
        """End all streams."""
        self._live.close()

    async def _stream(
        self, request: web.Request, after: Positions | None, topic_id: str
    ) -> web.StreamResponse:
        manager = caller(request).manager
        async with self._live.listen(manager, after, topic_id) as (listener, begin, heard):
            topic_id = self._live.topic_id
            async with sse_response(request, ping_interval=HEARTBEAT_S) as response:
                tasks = [
                    asyncio.create_task(response.wait()),
                    asyncio.create_task(_key_ends(request)),
                ]
                for task in tasks:
                    task.add_done_callback(lambda _: listener.close())
                end = asyncio.get_running_loop().call_later(MAX_STREAM_S, listener.close)
                try:
                    await response.send("{}", id=_event_id(topic_id, begin), event="begin")
                    async for each in heard:
                        if not is_still_caller(request):
                            break
                        text = json.dumps(fact_json(each.fact), ensure_ascii=False)
                        event_id = _event_id(topic_id, each.positions)
                        await response.send(text, id=event_id, event="notification")
                except (ConnectionError, TimeoutError):
                    pass  # the client has disconnected, or does not read
                except KafkaError as error:  # the client asks again
                    log.warning("a stream ends", error=repr(error), once_a_minute="broker")
                finally:
                    end.cancel()
                    tasks[1].cancel()
            return response


async def _key_ends(request: web.Request) -> None:
    # It is removed from a file: nothing says so.
    while is_still_caller(request):  # noqa: ASYNC110
        await asyncio.sleep(HEARTBEAT_S)


def _event_id(topic_id: str, positions: Positions) -> str:
    return ".".join(filter(None, (topic_id, *map(str, positions))))


def _invalid() -> web.Response:
    return answer(Code.INVALID_FORMAT, detail="Last-Event-ID: expected the id of an earlier event")
