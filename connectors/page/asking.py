"""Requests of a page to match: each is accepted, or its page says why not."""

import json
from collections.abc import Mapping
from hashlib import sha256

from aiohttp import web

from connectors.access.callers import caller
from connectors.page.rendering import PageRefused
from connectors.requests.outcomes import ClientRequests, RequestOutcome
from schemas.records.codes import Code
from schemas.records.requests import ClientRequest


async def accepted(
    jobs: ClientRequests, request: web.Request, command: ClientRequest
) -> RequestOutcome:
    """Return the outcome of a request of the caller; raises PageRefused if refused."""
    found = await jobs.outcome(caller(request), command)
    if found.code != Code.OK:
        raise PageRefused(found.code.status, found.detail or found.code.message)
    return found


def request_id_of(fields: Mapping[str, object], body: Mapping[str, object]) -> str:
    """Return the request id of a form whose request has this body.

    The same form sent again, as by a reload, gets the same answer; a changed form does not.
    """
    sent = json.dumps([str(fields.get("once", "")), body])
    return sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()
