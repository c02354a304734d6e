"""The page's routes, and what its templates share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Middleware

from connectors.api.access.keys import ApiKeys
from connectors.api.access.rates import CallRates
from connectors.api.access.roles import Role
from connectors.api.access.routes import GuardedRoute
from connectors.api.backtests import BacktestHandler
from connectors.api.health import HealthHandler
from connectors.api.history.places import StreamPlaces
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import ListingHandlers
from connectors.api.redelivery import Redelivery
from connectors.api.trials import TrialHandler
from connectors.dead_letters.recent import DeadLetterDesk
from connectors.kafka.live import Live
from connectors.page.adding import AddHandlers, AddPorts
from connectors.page.backtest import BacktestPage
from connectors.page.change import ChangeHandlers
from connectors.page.channels import ChannelHandlers, ChannelPorts
from connectors.page.compare import CompareHandler
from connectors.page.cookies import SessionCookies
from connectors.page.dead_letters import DeadLetterHandlers
from connectors.page.deliveries import DeliveriesHandlers
from connectors.page.frames import framed
from connectors.page.guard import LIVE_NEWS, SIGN_IN, Gate, page_middleware
from connectors.page.links import url_parts, web_link
from connectors.page.muting import MuteHandlers
from connectors.page.news import NewsHandlers
from connectors.page.news_stream import NewsStream
from connectors.page.pictures import PictureHandler
from connectors.page.pipeline import PipelineHandler, PipelinePorts
from connectors.page.receivers import named_receiver
from connectors.page.rendering import Views
from connectors.page.sessions import Sessions
from connectors.page.signing_in import SignInHandlers
from connectors.page.sparklines import Sparklines
from connectors.page.static_files import StaticFiles
from connectors.page.team import BEGIN, RETURN, Team, TeamHandlers
from connectors.page.timeline import ChangeRows
from connectors.page.watch import ACTIONS, WatchHandlers
from connectors.page.watches import WatchesHandler
from connectors.page.watching import CompareTexts, NotificationId, WatchPorts
from connectors.serving.forwarded import TrustedProxies
from connectors.stores.ports import FactReader, SubscriptionReader, TextReader

READ, WRITE, ADMIN = Role
MENU = (
    (READ, "/", "Watches"),
    (WRITE, "/add", "Add a page"),
    (READ, "/news", "News"),
    (READ, "/deliveries", "Deliveries"),
    (WRITE, "/channels", "Channels"),
    (ADMIN, "/pipeline", "Pipeline"),
)
"""What the head of each page leads to, with the role that it needs."""


@dataclass(frozen=True, slots=True)
class PagePorts:
    """What the page shows, by the functions with which REST reads.

    ``max_failures`` is the deployment's number of failures in a row; changes are kept for
    ``kept_days``.
    """

    subscriptions: SubscriptionReader
    facts: FactReader
    texts: TextReader
    listing: ListingHandlers
    live: Live
    places: StreamPlaces
    jobs: RequestHandlers
    redelivery: Redelivery
    letters: DeadLetterDesk
    trials: TrialHandler
    backtests: BacktestHandler
    adding: AddPorts
    channels: ChannelPorts
    health: HealthHandler
    pipeline: PipelinePorts
    notification_id: NotificationId
    rows: ChangeRows
    compare: CompareTexts
    max_failures: int
    kept_days: int


@dataclass(frozen=True, slots=True)
class Access:
    """Who may see the page.

    ``clock`` returns epoch seconds, ``monotonic`` seconds; ``proxies`` are networks.
    """

    keys: ApiKeys
    rates: CallRates
    signing_key: bytes
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    proxies: Sequence[str] = ()
    team: Team | None = None


@dataclass(frozen=True, slots=True)
class PageSite:
    """The page: its routes and the middleware for them."""

    routes: list[GuardedRoute]
    middleware: Middleware


def page_site(ports: PagePorts, access: Access) -> PageSite:
    """Build the page."""
    team = access.team
    policy = None if team is None else team.policy
    sessions = Sessions(access.signing_key, access.keys, access.clock, policy)
    proxies = TrustedProxies(access.proxies)
    cookies = SessionCookies(proxies, always_secure=team is not None and team.is_secure)
    gate = Gate(access.keys, access.rates, sessions, cookies, proxies)
    static = StaticFiles()
    views = Views(
        _common(gate, static),
        web_link=web_link,
        url_parts=url_parts,
        framed=framed,
        named_receiver=named_receiver,
    )
    issuer = None if team is None else team.name
    signing = SignInHandlers(gate, CallRates(access.monotonic), views, issuer)
    sparklines = Sparklines(ports.facts, access.clock, ports.kept_days)
    watches = WatchesHandler(
        ports.subscriptions, ports.listing, sparklines, ports.max_failures, views
    )
    adding = AddHandlers(ports.jobs, ports.trials, ports.adding, views)
    channels = ChannelHandlers(ports.channels, CallRates(access.monotonic), views)
    watch_ports = WatchPorts(
        ports.subscriptions,
        ports.facts,
        ports.texts,
        ports.notification_id,
        ports.rows,
        ports.compare,
    )
    watch = WatchHandlers(
        watch_ports, ports.listing, ports.jobs, sparklines, ports.max_failures, views
    )
    muting = MuteHandlers(watch_ports, ports.jobs, views)
    change = ChangeHandlers(watch_ports, views)
    compare = CompareHandler(watch_ports, views)
    pictures = PictureHandler(watch_ports)
    news = NewsHandlers(ports.subscriptions, ports.facts, views)
    stream = NewsStream(ports.live, ports.places, gate, views)
    deliveries = DeliveriesHandlers(
        ports.subscriptions, ports.facts, ports.jobs, ports.redelivery, views
    )
    letters = DeadLetterHandlers(ports.letters, views)
    pipeline = PipelineHandler(ports.health, ports.pipeline, views)
    routes = [
        GuardedRoute(READ, web.get("/", watches.watches)),
        GuardedRoute(WRITE, web.get("/add", adding.form)),
        GuardedRoute(WRITE, web.post("/add", adding.add)),
        GuardedRoute(WRITE, web.post("/add/backtest", BacktestPage(ports.backtests, views).show)),
        GuardedRoute(WRITE, web.post("/test", adding.test)),
        GuardedRoute(READ, web.get("/watch/{id}", watch.watch)),
        *(
            GuardedRoute(WRITE, web.post(f"/watch/{{id}}/{action}", watch.acting(action)))
            for action in ACTIONS
        ),
        GuardedRoute(WRITE, web.post("/watch/{id}/mute", muting.mute)),
        GuardedRoute(WRITE, web.post("/watch/{id}/unmute", muting.unmute)),
        GuardedRoute(READ, web.get("/watch/{id}/change/{change}", change.change)),
        GuardedRoute(READ, web.get("/watch/{id}/compare", compare.compare)),
        GuardedRoute(READ, web.get("/watch/{id}/picture", pictures.picture)),
        GuardedRoute(READ, web.get("/notification/{id}", change.notification)),
        GuardedRoute(READ, web.get("/news", news.news)),
        GuardedRoute(READ, web.get(LIVE_NEWS, stream.stream, allow_head=False)),
        GuardedRoute(READ, web.get("/deliveries", deliveries.deliveries)),
        GuardedRoute(WRITE, web.post("/deliveries/redeliver", deliveries.redeliver)),
        GuardedRoute(WRITE, web.post("/deliveries/rotate", deliveries.rotate)),
        GuardedRoute(WRITE, web.get("/channels", channels.channels)),
        GuardedRoute(WRITE, web.post("/channels", channels.put)),
        GuardedRoute(WRITE, web.post("/channels/test", channels.test)),
        GuardedRoute(WRITE, web.post("/channels/remove", channels.remove)),
        GuardedRoute(ADMIN, web.get("/dead-letters", letters.letters)),
        GuardedRoute(ADMIN, web.post("/dead-letters/replay", letters.replay)),
        GuardedRoute(ADMIN, web.get("/pipeline", pipeline.pipeline)),
        GuardedRoute(None, web.get(SIGN_IN, signing.form)),
        GuardedRoute(None, web.post(SIGN_IN, signing.sign_in)),
        *(_team_routes(TeamHandlers(team, gate, views)) if team else ()),
        GuardedRoute(READ, web.post("/sign-out", signing.sign_out)),
        GuardedRoute(None, web.get("/static/{name}", static.serve)),
    ]
    return PageSite(routes, page_middleware(gate, views))


def _team_routes(handlers: TeamHandlers) -> list[GuardedRoute]:
    return [
        GuardedRoute(None, web.get(BEGIN, handlers.begin, allow_head=False)),
        GuardedRoute(None, web.get(RETURN, handlers.finish, allow_head=False)),
    ]


def _common(gate: Gate, static: StaticFiles) -> Callable[[web.Request], dict[str, Any]]:
    def common(request: web.Request) -> dict[str, Any]:
        cookie = gate.cookies.read(request)
        key = gate.sessions.find(cookie) if gate.keys.required else None
        role = ADMIN if not gate.keys.required else key.role if key else READ
        return {
            "form_token": gate.sessions.form_token(cookie),
            "manager": None if key is None else key.manager,
            "menu": [(path, name) for needed, path, name in MENU if role.allows(needed)],
            "may_write": role.allows(WRITE),
            "may_admin": role.allows(ADMIN),
            "is_open": not gate.keys.required,
            "path": request.path,
            "static": static.address,
        }

    return common
