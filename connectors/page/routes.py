"""Which handler of the page answers where, and the role that it needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from aiohttp import web

from connectors.api.access.rates import CallRates
from connectors.api.access.roles import Role
from connectors.api.access.routes import GuardedRoute
from connectors.api.sending import in_turn
from connectors.page.adding import AddHandlers
from connectors.page.backtest import BacktestPage
from connectors.page.change import ChangeHandlers
from connectors.page.channels import ChannelHandlers
from connectors.page.compare import CompareHandler
from connectors.page.crawled import CrawledPagesView
from connectors.page.dead_letters import DeadLetterHandlers
from connectors.page.deliveries import DeliveriesHandlers
from connectors.page.guard import LIVE_NEWS, SIGN_IN, Gate
from connectors.page.muting import MuteHandlers
from connectors.page.news import NewsHandlers
from connectors.page.news_stream import NewsStream
from connectors.page.pictures import PictureHandler
from connectors.page.pipeline import PipelineHandler
from connectors.page.ports import Access, PagePorts
from connectors.page.rendering import Views
from connectors.page.several import SeveralHandlers
from connectors.page.signing_in import SignInHandlers
from connectors.page.sparklines import Sparklines
from connectors.page.static_files import StaticFiles
from connectors.page.team import BEGIN, RETURN, TeamHandlers
from connectors.page.watch import ACTIONS, WatchHandlers
from connectors.page.watches import WatchesHandler
from connectors.page.watching import WatchPorts

READ, WRITE, ADMIN = Role


@dataclass(frozen=True, slots=True)
class PageRoutes:
    """Builds the handlers of each part of the page, and yields their routes."""

    ports: PagePorts
    access: Access
    gate: Gate
    views: Views
    static: StaticFiles

    def all(self) -> list[GuardedRoute]:
        """Return the routes of the whole page."""
        parts = (self._watches, self._adding, self._news, self._channels, self._operation)
        return [route for part in (*parts, self._signing) for route in part()]

    def _watches(self) -> Iterator[GuardedRoute]:
        ports, views = self.ports, self.views
        asked = WatchPorts(
            ports.subscriptions,
            ports.facts,
            ports.texts,
            ports.notification_id,
            ports.rows,
            ports.compare,
        )
        sparklines = Sparklines(ports.facts, self.access.clock, ports.kept_days)
        watches = WatchesHandler(
            ports.subscriptions, ports.listing, sparklines, ports.max_failures, views
        )
        watch = WatchHandlers(
            asked, ports.listing, ports.jobs, sparklines, ports.max_failures, views
        )
        muting, change = MuteHandlers(asked, ports.jobs, views), ChangeHandlers(asked, views)
        yield GuardedRoute(READ, web.get("/", watches.watches))
        yield GuardedRoute(READ, web.get("/watch/{id}", watch.watch))
        for action in ACTIONS:
            path = f"/watch/{{id}}/{action}"
            yield GuardedRoute(WRITE, web.post(path, watch.acting(action)))
        yield GuardedRoute(WRITE, web.post("/watch/{id}/mute", muting.mute))
        yield GuardedRoute(WRITE, web.post("/watch/{id}/unmute", muting.unmute))
        yield GuardedRoute(READ, web.get("/watch/{id}/change/{change}", change.change))
        yield GuardedRoute(READ, web.get("/notification/{id}", change.notification))
        evidence = in_turn(ports.evidence.evidence)
        yield GuardedRoute(READ, web.get("/notification/{id}/evidence", evidence))
        compare = CompareHandler(asked, views)
        yield GuardedRoute(READ, web.get("/watch/{id}/compare", compare.compare))
        crawled = CrawledPagesView(asked, ports.crawled, views)
        yield GuardedRoute(READ, web.get("/watch/{id}/pages", crawled.pages))
        yield GuardedRoute(READ, web.get("/watch/{id}/picture", PictureHandler(asked).picture))

    def _adding(self) -> Iterator[GuardedRoute]:
        ports = self.ports
        adding = AddHandlers(ports.jobs, ports.trials, ports.adding, self.views)
        past = BacktestPage(ports.backtests, self.views)
        several = SeveralHandlers(ports.jobs, ports.adding, self.views)
        yield GuardedRoute(WRITE, web.get("/add", adding.form))
        yield GuardedRoute(WRITE, web.get("/add/pages", several.form))
        yield GuardedRoute(WRITE, web.post("/add/pages", several.add))
        yield GuardedRoute(WRITE, web.post("/add", adding.add))
        yield GuardedRoute(WRITE, web.post("/add/backtest", past.show))
        yield GuardedRoute(WRITE, web.post("/test", adding.test))

    def _news(self) -> Iterator[GuardedRoute]:
        ports, views = self.ports, self.views
        news = NewsHandlers(ports.subscriptions, ports.facts, views)
        stream = NewsStream(ports.live, ports.places, self.gate, views)
        deliveries = DeliveriesHandlers(
            ports.subscriptions, ports.facts, ports.jobs, ports.redelivery, views
        )
        yield GuardedRoute(READ, web.get("/news", news.news))
        yield GuardedRoute(READ, web.get(LIVE_NEWS, stream.stream, allow_head=False))
        yield GuardedRoute(READ, web.get("/deliveries", deliveries.deliveries))
        yield GuardedRoute(WRITE, web.post("/deliveries/redeliver", deliveries.redeliver))
        yield GuardedRoute(WRITE, web.post("/deliveries/rotate", deliveries.rotate))

    def _channels(self) -> Iterator[GuardedRoute]:
        rates = CallRates(self.access.monotonic)
        channels = ChannelHandlers(self.ports.channels, rates, self.views)
        yield GuardedRoute(WRITE, web.get("/channels", channels.channels))
        yield GuardedRoute(WRITE, web.post("/channels", channels.put))
        yield GuardedRoute(WRITE, web.post("/channels/test", channels.test))
        yield GuardedRoute(WRITE, web.post("/channels/remove", channels.remove))

    def _operation(self) -> Iterator[GuardedRoute]:
        letters = DeadLetterHandlers(self.ports.letters, self.views)
        pipeline = PipelineHandler(self.ports.health, self.ports.pipeline, self.views)
        yield GuardedRoute(ADMIN, web.get("/dead-letters", letters.letters))
        yield GuardedRoute(ADMIN, web.post("/dead-letters/replay", letters.replay))
        yield GuardedRoute(ADMIN, web.get("/pipeline", pipeline.pipeline))

    def _signing(self) -> Iterator[GuardedRoute]:
        team = self.access.team
        rates, issuer = CallRates(self.access.monotonic), None if team is None else team.name
        signing = SignInHandlers(self.gate, rates, self.views, issuer)
        yield GuardedRoute(None, web.get(SIGN_IN, signing.form))
        yield GuardedRoute(None, web.post(SIGN_IN, signing.sign_in))
        yield GuardedRoute(READ, web.post("/sign-out", signing.sign_out))
        yield GuardedRoute(None, web.get("/static/{name}", self.static.serve))
        if team is not None:
            members = TeamHandlers(team, self.gate, self.views)
            yield GuardedRoute(None, web.get(BEGIN, members.begin, allow_head=False))
            yield GuardedRoute(None, web.get(RETURN, members.finish, allow_head=False))
