"""Routes of the page: the handler and the role of each."""

from collections.abc import Iterator
from dataclasses import dataclass

from aiohttp import web

from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute
from connectors.page.add.adding import AddHandlers
from connectors.page.add.all_pages import SeveralHandlers
from connectors.page.add.edit_page import EditHandlers
from connectors.page.add.past import BacktestPage
from connectors.page.add.shortcuts import SHARE_PATH, Shortcuts
from connectors.page.news.channel_forms import ChannelHandlers
from connectors.page.news.deliveries import DeliveriesHandlers
from connectors.page.news.feeds import FEED_PATH, FeedHandlers
from connectors.page.news.news_list import NewsHandlers
from connectors.page.news.news_stream import NewsStream
from connectors.page.news.search import PATH as SEARCH_PATH
from connectors.page.news.search import SearchHandlers
from connectors.page.news.suppressed import PATH as SUPPRESSED_PATH
from connectors.page.news.suppressed import SuppressedViews
from connectors.page.operate.dead_letter_list import DeadLetterHandlers
from connectors.page.operate.pipeline_view import PipelineHandler
from connectors.page.ports import PageAccess, PagePorts
from connectors.page.rendering import StaticFiles, Views
from connectors.page.session.guard import LIVE_NEWS, SIGN_IN, Gate
from connectors.page.session.language_choice import CHOOSE, LanguageHandler
from connectors.page.session.signing_in import BEGIN, RETURN, SignInHandlers, TeamHandlers
from connectors.page.watch.bulk_change import BulkHandlers
from connectors.page.watch.change import ChangeHandlers
from connectors.page.watch.compare import CompareHandler
from connectors.page.watch.crawled import CrawledPagesView
from connectors.page.watch.linked_actions import LinkHandlers
from connectors.page.watch.mutes import MuteHandlers
from connectors.page.watch.pictures import PictureHandler
from connectors.page.watch.receivers import Receivers
from connectors.page.watch.sparklines import Sparklines
from connectors.page.watch.watch_list import ShownWatches, WatchesHandler
from connectors.page.watch.watch_page import ACTIONS, WatchHandlers
from connectors.signed_links import SIGNED_PATH, SignedLinks, TokenSigner

READ, WRITE, ADMIN = Role


@dataclass(frozen=True, slots=True)
class PageRoutes:
    """Builds the handlers of each part of the page, and yields their routes."""

    ports: PagePorts
    access: PageAccess
    gate: Gate
    receivers: Receivers
    views: Views
    static: StaticFiles

    def all(self) -> list[GuardedRoute]:
        """Return the routes of the whole page."""
        parts = (self._watches, self._adding, self._news, self._channels, self._operation)
        return [route for part in (*parts, self._signing) for route in part()]

    def _watches(self) -> Iterator[GuardedRoute]:
        ports, views = self.ports, self.views
        sparklines = Sparklines(ports.facts, self.access.clock, ports.kept_days)
        shown = ShownWatches(ports.next_checks, sparklines, self.receivers, ports.max_failures)
        watches = WatchesHandler(ports.subscriptions, ports.channels.of_manager, shown, views)
        bulk = BulkHandlers(ports.subscriptions, ports.jobs, views)
        crawled = CrawledPagesView(ports, ports.crawled, views)
        watch = WatchHandlers(ports, shown, crawled, ports.jobs, views)
        muting = MuteHandlers(ports, ports.jobs, views)
        change = ChangeHandlers(ports, ports.evidence, views)
        yield GuardedRoute(READ, web.get("/", watches.watches))
        yield GuardedRoute(WRITE, web.post("/watches", bulk.change))
        yield GuardedRoute(READ, web.get("/watch/{id}", watch.watch))
        for action in ACTIONS:
            path = f"/watch/{{id}}/{action}"
            yield GuardedRoute(WRITE, web.post(path, watch.acting(action)))
        yield GuardedRoute(WRITE, web.post("/watch/{id}/mute", muting.mute))
        yield GuardedRoute(WRITE, web.post("/watch/{id}/unmute", muting.unmute))
        yield GuardedRoute(READ, web.get("/watch/{id}/change/{change}", change.change))
        yield GuardedRoute(READ, web.get("/notification/{id}", change.notification))
        yield GuardedRoute(READ, web.get("/notification/{id}/evidence", change.evidence))
        yield from self._links(muting)
        compare = CompareHandler(ports, views)
        yield GuardedRoute(READ, web.get("/watch/{id}/compare", compare.compare))
        yield GuardedRoute(READ, web.get("/watch/{id}/pages", crawled.pages))
        yield GuardedRoute(READ, web.get("/watch/{id}/picture", PictureHandler(ports).picture))

    def _links(self, muting: MuteHandlers) -> Iterator[GuardedRoute]:
        access, ports = self.access, self.ports
        links = LinkHandlers(
            SignedLinks(access.signing_key, access.clock),
            ports,
            ports.jobs,
            muting,
            CallRates(access.monotonic),
            self.gate.proxies,
            self.views,
        )
        yield GuardedRoute(None, web.get(f"{SIGNED_PATH}{{token}}", links.show))
        yield GuardedRoute(None, web.post(f"{SIGNED_PATH}{{token}}", links.act))

    def _adding(self) -> Iterator[GuardedRoute]:
        ports = self.ports
        adding = AddHandlers(ports.jobs, ports.trials, ports.adding, self.views)
        past = BacktestPage(ports.backtests, self.views)
        several = SeveralHandlers(ports.jobs, ports.adding, self.views)
        editing = EditHandlers(
            ports.subscriptions, ports.jobs, ports.trials, ports.adding, self.views
        )
        yield GuardedRoute(WRITE, web.get("/watch/{id}/edit", editing.form))
        yield GuardedRoute(WRITE, web.post("/watch/{id}/edit", editing.save))
        yield GuardedRoute(WRITE, web.get("/watch/{id}/duplicate", editing.duplicate))
        yield GuardedRoute(WRITE, web.get("/add", adding.form))
        yield GuardedRoute(WRITE, web.get("/add/shortcuts", Shortcuts(self.views).shortcuts))
        yield GuardedRoute(WRITE, web.get("/add/pages", several.form))
        yield GuardedRoute(WRITE, web.post("/add/pages", several.add))
        yield GuardedRoute(WRITE, web.post("/add", adding.add))
        yield GuardedRoute(WRITE, web.post("/add/backtest", past.show))
        yield GuardedRoute(WRITE, web.post("/test", adding.test))

    def _news(self) -> Iterator[GuardedRoute]:
        ports, views = self.ports, self.views
        news = NewsHandlers(ports.subscriptions, ports.facts, views)
        stream = NewsStream(ports.live, ports.slots, self.gate, views)
        deliveries = DeliveriesHandlers(
            ports.subscriptions,
            ports.facts,
            self.receivers,
            ports.jobs,
            ports.redelivery,
            views,
        )
        search = SearchHandlers(ports.searches, views)
        yield GuardedRoute(READ, web.get("/news", news.news))
        yield GuardedRoute(READ, web.get(SEARCH_PATH, search.search))
        suppressed = SuppressedViews(ports.suppressed, ports.model_use, views)
        yield GuardedRoute(READ, web.get(SUPPRESSED_PATH, suppressed.listed))
        yield GuardedRoute(WRITE, web.post(SUPPRESSED_PATH, suppressed.send))
        yield GuardedRoute(READ, web.get(LIVE_NEWS, stream.stream, allow_head=False))
        yield from self._feeds()
        yield GuardedRoute(READ, web.get("/deliveries", deliveries.deliveries))
        yield GuardedRoute(WRITE, web.post("/deliveries/redeliver", deliveries.redeliver))
        yield GuardedRoute(WRITE, web.post("/deliveries/rotate", deliveries.rotate))

    def _feeds(self) -> Iterator[GuardedRoute]:
        signer = TokenSigner(self.access.signing_key, b"feeds, version 1")
        rates = CallRates(self.access.monotonic)
        feeds = FeedHandlers(
            self.ports.channels, self.ports.facts, signer, rates, self.gate, self.views
        )
        yield GuardedRoute(READ, web.get("/feeds", feeds.feeds))
        yield GuardedRoute(WRITE, web.post("/feeds", feeds.add))
        yield GuardedRoute(WRITE, web.post("/feeds/remove", feeds.remove))
        yield GuardedRoute(None, web.get(f"{FEED_PATH}{{token}}", feeds.feed))

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
        yield GuardedRoute(None, web.get(SHARE_PATH, Shortcuts(self.views).share))
        yield GuardedRoute(READ, web.post("/sign-out", signing.sign_out))
        language = LanguageHandler(self.gate.cookies)
        yield GuardedRoute(None, web.post(CHOOSE, language.choose))
        yield GuardedRoute(None, web.get("/static/{name}", self.static.serve))
        if team is not None:
            members = TeamHandlers(team, self.gate, self.views)
            yield GuardedRoute(None, web.get(BEGIN, members.begin, allow_head=False))
            yield GuardedRoute(None, web.get(RETURN, members.finish, allow_head=False))
