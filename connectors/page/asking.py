"""What a page asks match for: a request is accepted, or its page says why not."""

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.jobs import Outcome, RequestHandlers
from connectors.page.rendering import PageRefused
from schemas.codes import Code
from schemas.json_requests import parse, present_json
from schemas.requests import ClientRequest
from schemas.subscriptions import Subscription


async def accepted(jobs: RequestHandlers, request: web.Request, command: ClientRequest) -> Outcome:
    """Return what became of a request of the caller; raises PageRefused if it was refused."""
    found = await jobs.outcome(caller(request), command)
    if found.code != Code.OK:
        raise PageRefused(found.code.status, found.detail or found.code.message)
    return found


def request_about(subscription: Subscription, action: str) -> ClientRequest:
    """Return the request to do something with a subscription, which needs no more said."""
    body = {"documentUrl": subscription.document_url, **present_json(subscription.receiver)}
    return parse(action, body)
