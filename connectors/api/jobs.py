"""POST /subscribe and /cancel: asked of the register through the topics."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from aiohttp import web

from connectors.api.access import caller
from connectors.api.answers import INVALID_FORMAT, NO_ANSWER, OK, QUOTA, answer
from connectors.kafka.requests import NoAnswer, Register
from schemas.facts import Cancel, Rejected, Subscribe, Subscribed
from schemas.json_requests import InvalidRequest, parse_cancel, parse_object, parse_subscribe

IDEMPOTENCY_KEY = "Idempotency-Key"

CountActive = Callable[[str], Awaitable[int]]
"""Gives how many active subscriptions a manager has; may lag."""
Parse = Callable[[dict[str, Any]], Subscribe | Cancel]


class Jobs:
    """The handlers; ``register`` decides."""

    def __init__(self, register: Register, active: CountActive) -> None:
        """Take a started client of the register."""
        self._register = register
        self._active = active

    async def subscribe(self, request: web.Request) -> web.Response:
        """Watch a document for a client, within the quota of the caller's key."""
        key = caller(request)
        if key.subscriptions is not None:
            count = await self._active(key.manager)
            if count >= key.subscriptions:
                return answer(QUOTA, detail=f"{key.subscriptions} subscriptions are allowed")
        return await self._ask(request, parse_subscribe)

    async def cancel(self, request: web.Request) -> web.Response:
        """Watch it no more."""
        return await self._ask(request, parse_cancel)

    async def _ask(self, request: web.Request, parse: Parse) -> web.Response:
        try:
            command = parse(parse_object(await request.read()))
        except InvalidRequest as error:
            return answer(INVALID_FORMAT, detail=str(error))
        except web.HTTPRequestEntityTooLarge as error:
            return answer(INVALID_FORMAT, detail=error.text)
        request_id = _request_id(request.headers.get(IDEMPOTENCY_KEY), command)
        try:
            manager = caller(request).manager
            fact = await self._register.ask(
                replace(command, manager=manager, request_id=request_id)
            )
        except NoAnswer:
            return answer(NO_ANSWER)
        if isinstance(fact, Rejected):
            return answer(fact.code, detail=fact.detail)
        return answer(OK, id=fact.subscription.id if isinstance(fact, Subscribed) else None)


def _request_id(key: str | None, command: Subscribe | Cancel) -> str | None:
    """Derive the request id of a repeatable call; its key holds for one target only."""
    if key is None:
        return None
    target = [type(command).__name__, command.document_url, command.client_url, command.session]
    return sha256(json.dumps([key, *target]).encode()).hexdigest()
