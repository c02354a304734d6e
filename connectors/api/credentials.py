"""PUT, GET and DELETE /credentials/NAME, and GET /credentials; secrets are never returned."""

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer, read_object
from connectors.api.listed import time_or_null
from connectors.channels.sender import NOT_NOW, RETRY_AFTER_S
from connectors.credentials.errors import InvalidCredentials, TooManyCredentials
from connectors.credentials.input_formats import checked_name, parse_credentials
from connectors.credentials.vault import Vault
from connectors.stores.ports import CredentialsStore
from schemas.records.codes import Code
from schemas.records.credentials import Credentials, SealedCredentials

log = structlog.get_logger()

CheckGiven = Callable[[str, Credentials], Awaitable[None]]
"""Checks new credentials by more than their form; raises OSError without a result."""


class CredentialsHandlers:
    """The handlers of the caller's credentials."""

    def __init__(self, store: CredentialsStore, vault: Vault, check: CheckGiven) -> None:
        """``vault`` encrypts for the ``store``; ``check`` raises InvalidCredentials."""
        self._store = store
        self._vault = vault
        self._check = check

    async def put(self, request: web.Request) -> web.Response:
        """Store credentials, in place of those of the same name."""
        body = await read_object(request)
        name, manager = request.match_info["name"], caller(request).manager
        try:
            checked_name(name)
            given = parse_credentials(body)
            await self._check(manager, given)
            row = await self._vault.put(manager, name, given)
        except InvalidCredentials as error:
            return answer(Code.INVALID_FORMAT, detail=str(error))
        except TooManyCredentials as error:
            return answer(Code.QUOTA, detail=str(error))
        except OSError as error:
            log.warning("a channel was not asked", error=repr(error), once_a_minute="channel")
            refusal = answer(Code.NO_ANSWER, detail=NOT_NOW)
            refusal.headers["Retry-After"] = str(RETRY_AFTER_S)
            return refusal
        return answer(Code.OK, **_json(row))

    async def all_of(self, request: web.Request) -> web.Response:
        """Answer with the credentials of the caller."""
        rows = await self._store.all_of(caller(request).manager)
        return web.json_response({"credentials": [_json(row) for row in rows]})

    async def get(self, request: web.Request) -> web.Response:
        """Answer with the credentials of a name."""
        row = await self._store.get(caller(request).manager, request.match_info["name"])
        return answer(Code.UNKNOWN) if row is None else web.json_response(_json(row))

    async def remove(self, request: web.Request) -> web.Response:
        """Delete credentials."""
        was_there = await self._store.remove(caller(request).manager, request.match_info["name"])
        return answer(Code.OK if was_there else Code.UNKNOWN)


def _json(row: SealedCredentials) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind,
        "for": row.sent_to,
        "set": time_or_null(row.set_at),
        "lastUsed": time_or_null(row.used_at),
    }
