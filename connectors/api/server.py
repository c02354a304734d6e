"""The HTTP server of the REST API."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from connectors.access.callers import caller
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.answers import answer, answer_refusals
from connectors.api.bulk import BulkHandler
from connectors.api.credentials import CredentialsHandlers
from connectors.api.description import Description
from connectors.api.documents.handlers import DocumentHandlers
from connectors.api.documents.number_metrics import NumberMetrics
from connectors.api.health import HealthHandler
from connectors.api.history.events import EventStreams
from connectors.api.history.evidence import EvidenceHandlers
from connectors.api.history.facts import HistoryHandlers
from connectors.api.history.feed import FeedHandler
from connectors.api.history.search import SearchHandler
from connectors.api.history.suppressed import SuppressedHandlers
from connectors.api.http_errors import add_headers, no_http
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import CrawledPagesHandler, ListingHandlers
from connectors.api.trials import BacktestHandler, TrialHandler
from connectors.serving import BASE
from connectors.serving.sending import MAX_WAITING_PER_MANAGER, SENDER, Sender
from connectors.serving.site import served
from connectors.turns import TooManyWaiting
from schemas.records.codes import Code

READ, WRITE = Role.READ, Role.WRITE
HEALTH = f"{BASE}/health"
OPENAPI = f"{BASE}/openapi.json"
MAX_BODY = 64 * 1024
MAX_PATH = 32 * 1024
"""Bytes of a path with its query, in which a character of a URL takes up to twelve."""
ACTIONS = ("cancel", "rotate", "pause", "resume", "rename", "test", "check", "backfill")
"""Requests about an existing subscription."""


@dataclass(frozen=True, slots=True)
class ApiHandlers:
    """The handlers of all routes."""

    jobs: RequestHandlers
    bulk: BulkHandler
    listing: ListingHandlers
    histories: HistoryHandlers
    suppressed: SuppressedHandlers
    evidence: EvidenceHandlers
    documents: DocumentHandlers
    number_metrics: NumberMetrics
    events: EventStreams
    feed: FeedHandler
    search: SearchHandler
    trials: TrialHandler
    backtests: BacktestHandler
    health: HealthHandler
    description: Description
    credentials: CredentialsHandlers
    crawled: CrawledPagesHandler
    mcp: Handler


def routes(handlers: ApiHandlers) -> list[GuardedRoute]:
    """Return the routes of the API, which openapi.yaml describes, with the role of each."""
    jobs, listing, documents = handlers.jobs, handlers.listing, handlers.documents
    reading: dict[str, Handler] = {
        "subscriptions": listing.subscriptions,
        "subscriptions/{id}": listing.subscription,
        "subscriptions/{id}/pages": handlers.crawled.pages,
        "changes": handlers.histories.changes,
        "documents": documents.documents,
        "snapshots": documents.snapshots,
        "numbers": documents.numbers,
        "numbers/metrics": handlers.number_metrics.metrics,
        "snapshot": documents.snapshot,
        "picture": documents.picture,
        "words": documents.words,
        "occurrences": documents.occurrences,
        "differences": documents.differences,
        "notifications": handlers.histories.notifications,
        "deliveries": handlers.histories.deliveries,
        "suppressed": handlers.suppressed.listed,
        "feed": handlers.feed.feed,
        "search": handlers.search.search,
        "evidence/{id}": handlers.evidence.evidence,
        "evidence-key": handlers.evidence.key,
        "key": own_key,
    }
    asking = {action: jobs.asking(action) for action in ACTIONS}
    changing: dict[str, Handler] = {
        "subscribe": jobs.subscribe,
        **asking,
        "bulk": _in_turn(handlers.bulk.bulk),
        "try": handlers.trials.try_page,
        "suppressed/{id}/send": handlers.suppressed.send,
    }
    events = web.get(f"{BASE}/events", handlers.events.events, allow_head=False)
    credentials, credential = f"{BASE}/credentials", f"{BASE}/credentials/{{name}}"
    return [
        *(GuardedRoute(WRITE, web.post(f"{BASE}/{path}", do)) for path, do in changing.items()),
        GuardedRoute(READ, web.post(f"{BASE}/backtest", handlers.backtests.backtest_page)),
        GuardedRoute(READ, web.get(credentials, handlers.credentials.all_of)),
        GuardedRoute(WRITE, web.put(credential, handlers.credentials.put)),
        GuardedRoute(READ, web.get(credential, handlers.credentials.get)),
        GuardedRoute(WRITE, web.delete(credential, handlers.credentials.remove)),
        *(
            GuardedRoute(READ, web.get(f"{BASE}/{path}", _in_turn(read)))
            for path, read in reading.items()
        ),
        GuardedRoute(READ, events),
        GuardedRoute(READ, web.post(f"{BASE}/mcp", handlers.mcp)),
        GuardedRoute(None, web.get(HEALTH, handlers.health.health)),
        GuardedRoute(None, web.get(OPENAPI, handlers.description.openapi)),
    ]


async def own_key(request: web.Request) -> web.Response:
    """Answer with the rights of the caller's key; without keys, with all rights."""
    key = caller(request)
    limits = {"subscriptions": key.subscriptions, "perMinute": key.per_minute}
    return web.json_response({"manager": key.manager, "role": key.role, **limits})


def _in_turn(handler: Handler) -> Handler:
    """Return a handler which waits for its manager's turn, and keeps the turn until all is sent."""

    async def wait(request: web.Request) -> web.StreamResponse:
        try:
            async with request.app[SENDER].turns.turn(caller(request).manager):
                return await handler(request)
        except TooManyWaiting:
            detail = f"{MAX_WAITING_PER_MANAGER} calls of this manager wait already."
            return answer(Code.QUOTA, detail=detail)

    return wait


def by_path(api: Middleware, page: Middleware) -> Middleware:
    """Return a middleware: ``api`` for the paths of the API, ``page`` for all others."""

    @web.middleware
    async def choose(request: web.Request, handler: Handler) -> web.StreamResponse:
        is_api = request.path == BASE or request.path.startswith(f"{BASE}/")
        return await (api if is_api else page)(request, handler)

    return choose


@asynccontextmanager
async def serve(
    handlers: ApiHandlers,
    middlewares: Sequence[Middleware],
    host: str,
    port: int,
    page: Sequence[GuardedRoute] = (),
) -> AsyncIterator[None]:
    """Serve until left, with the routes of the page; raises OSError if the port is in use."""
    every = [*middlewares, answer_refusals]
    app = web.Application(client_max_size=MAX_BODY, middlewares=every)
    add_guarded_routes(app, [*routes(handlers), *page])

    async def end(_: web.Application) -> None:
        handlers.events.close()

    app[SENDER] = sender = Sender()
    app.on_response_prepare.append(add_headers)
    app.on_shutdown.append(end)  # otherwise the server would wait for the streams to end
    try:
        async with served(app, host, port, max_line=MAX_PATH, refuse=no_http):
            yield
    finally:
        sender.close()
