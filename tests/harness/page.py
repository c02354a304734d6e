"""The page on a real HTTP server and a real store, and the Chromium that looks at it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import cache, partial
from inspect import isawaitable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from unittest.mock import Mock

from playwright.async_api import Browser, Page, async_playwright, expect
from pydantic import SecretStr

from connectors.access.keys import ApiKeys, new_key, save_keys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.api.admission import access_middleware
from connectors.api.bulk import BulkHandler
from connectors.api.http_errors import http_errors
from connectors.api.jobs import RequestHandlers
from connectors.api.server import by_path, serve
from connectors.browser.flags import NO_GPU, NO_SANDBOX
from connectors.dead_letters.recent import RecentLetters
from connectors.evidence_key import EvidenceKey
from connectors.kafka.progress import AgentProgress, PipelineProgress
from connectors.page.news.channel_forms import ChannelPorts
from connectors.page.news.suppressed import ModelBudget
from connectors.page.operate.pipeline_view import PipelinePorts
from connectors.page.ports import PageAccess, PagePorts
from connectors.page.session.signing_in import Team
from connectors.page.site import page_site
from connectors.reads.change_search import ChangeSearches
from connectors.reads.covered_pages import CoveredPages
from connectors.reads.deployment_health import Health
from connectors.reads.next_checks import NextChecks
from connectors.reads.trial_limits import BacktestLimits, TrialLimits
from connectors.requests.outcomes import ClientRequests
from connectors.requests.quotas import Quotas
from connectors.requests.redelivery import Redelivery
from connectors.requests.suppressed import SuppressedNews
from connectors.serving.stream_slots import StreamSlots
from connectors.single_flight import SharedAnswer
from connectors.stores.opening import Store, open_store
from connectors.stores.sqlite.schema import connect, migrate
from infra.ports import any_free
from streams.agents.crawl.scope import why_not
from streams.agents.history.asked_subscription import subscription_of
from streams.effects.api import add_ports, find_past, request_refusal
from streams.effects.backtest import opened_backtests
from streams.effects.comparison_rows import change_rows
from streams.effects.credentials import opened_vault
from streams.effects.deliver import opened_sender
from streams.effects.evidence import evidence_source
from streams.effects.overview import pipeline_agents
from streams.effects.pauses import listed_pause_ms
from streams.effects.rules import rules
from streams.effects.search import search_words
from streams.effects.trial import opened_trials
from streams.settings import Settings
from streams.values.ids import content_id
from streams.values.slots import next_slot
from tests.fakes.live import LiveAgent
from tests.fakes.register import QuickRegister
from tests.harness.api import Handlers, Some
from tests.harness.browser import browser_path

SIGNING_KEY = b"k" * 32
ONE_PROCESS = "--process-per-site"
"""One process for what all tests open, which would start one for each of them."""
PATIENCE_MS = 60_000
"""Only a page that never gets there fails: a default of 5 s is short on a busy machine."""
expect.set_options(timeout=PATIENCE_MS)
HEALTHY = Health(
    deployment="d",
    kafka="127.0.0.1:9092",
    store="store.db",
    agents=dict.fromkeys(("ticker", "fetch", "match", "deliver", "record"), "ok"),
    problems=[],
)
PROGRESS = PipelineProgress(
    {
        name: AgentProgress("stable", 1, 8, 8, {})
        for name in ("ticker", "fetch", "match", "deliver", "record")
    },
    {},
)
NOW_S = 1_700_000_000.0
SETTINGS = Settings(
    allow_private=("127.0.0.0/8",),
    host_delay=0,
    min_interval=60,
    signing_key=SecretStr(SIGNING_KEY.decode()),
)


@dataclass
class PageClock:
    """The time of sessions and listings, and of what is limited by the minute."""

    now: float = NOW_S
    monotonic: float = 0.0


class AsyncStub(Mock):
    """A Mock to be awaited: an AsyncMock takes ten times longer to be made."""

    async def __call__(self, *arguments: object, **named: object) -> Any:
        returned = super().__call__(*arguments, **named)
        return await returned if isawaitable(returned) else returned


@dataclass
class ServedPage:
    """A page that is served at ``base`` from a store."""

    base: str
    store: Store
    keys: Path
    register: QuickRegister
    health: Mock
    progress: AsyncStub
    latency: AsyncStub
    findings: AsyncStub
    redeliver: AsyncStub
    send_suppressed: AsyncStub
    judge: AsyncStub
    compare: AsyncStub
    live: LiveAgent
    letters: Mock
    clock: PageClock = field(default_factory=PageClock)

    def add_key(self, manager: str, per_minute: int | None = None, role: Role = Role.WRITE) -> str:
        """Create a key, and make it the only one; returns its secret."""
        secret, key = new_key(manager, None, per_minute, role)
        save_keys(self.keys, [key])
        return secret


@asynccontextmanager
async def serving_page(
    folder: Path, team_at: Callable[[str, PageClock], Team] | None = None
) -> AsyncIterator[ServedPage]:
    """Serve the page on a port of loopback; ``team_at`` returns the team at its address."""
    clock, port = PageClock(), any_free()
    keys = ApiKeys(folder / "keys.json", is_required=team_at is not None)
    rates = CallRates(lambda: clock.monotonic)
    access = PageAccess(
        keys,
        rates,
        SIGNING_KEY,
        lambda: clock.now,
        lambda: clock.monotonic,
        proxies=("127.0.0.0/8",),
        team=team_at(f"http://127.0.0.1:{port}", clock) if team_at else None,
    )
    async with AsyncExitStack() as stack:
        if not (file := folder / "store.db").exists():
            file.write_bytes(_empty_store())
        store = await open_store(f"sqlite:{file}", history=10)
        stack.push_async_callback(store.close)
        next_checks = NextChecks(
            next_slot, partial(listed_pause_ms, factor=2.0), lambda: _ms(clock)
        )
        settings = SETTINGS.model_copy(update={"data_dir": folder})
        vault = opened_vault(settings, store.credentials)
        announcer = await stack.enter_async_context(opened_sender(settings, vault.open))
        trials = await stack.enter_async_context(opened_trials(settings, store.credentials))
        refusal, begun = request_refusal(settings), partial(subscription_of, rules(settings))
        effects = await stack.enter_async_context(opened_backtests(settings, store.facts))
        effects = replace(effects, oldest=lambda: 0)
        register = QuickRegister(store, rules(settings), _ms(clock))
        quotas = Quotas(store.subscriptions.count_active, store.subscriptions.active_id, monotonic)
        sender: Any = register
        live: Any = LiveAgent()
        requests = ClientRequests(sender, quotas, SIGNING_KEY, store.credentials.get, refusal)
        redeliver, send_suppressed = AsyncStub(), AsyncStub()
        judge = AsyncStub(side_effect=lambda _, found: found)
        compare = AsyncStub(wraps=trials.differences)
        letters = Mock(recent=AsyncStub(return_value=RecentLetters((), 0)), replay=AsyncStub())
        progress = AsyncStub(side_effect=lambda: PROGRESS)
        latency = AsyncStub(return_value=None)
        findings = AsyncStub(return_value=[])
        health = Mock(state=AsyncStub(return_value=HEALTHY))
        page = page_site(
            PagePorts(
                subscriptions=store.subscriptions,
                facts=store.facts,
                texts=store.texts,
                evidence=evidence_source(store, EvidenceKey(SIGNING_KEY)).load,
                next_checks=next_checks,
                crawled=CoveredPages(store.facts, why_not),
                searches=ChangeSearches(store.search, search_words(settings)),
                live=live,
                slots=StreamSlots(),
                jobs=requests,
                letters=letters,
                redelivery=Redelivery(store.facts, redeliver),
                suppressed=SuppressedNews(store.facts, send_suppressed),
                model_use=AsyncStub(return_value=ModelBudget(12, 3_400, 1_000, 1_000_000)),
                trials=TrialLimits(begun),
                backtests=BacktestLimits(begun, partial(find_past, effects), judge),
                adding=add_ports(settings, trials, store.credentials),
                channels=ChannelPorts(store.credentials, vault, announcer),
                health=health,
                pipeline=PipelinePorts(
                    pipeline_agents(),
                    *(
                        SharedAnswer(ask, 4, lambda: clock.monotonic)
                        for ask in (progress, latency, findings)
                    ),
                ),
                notification_id=content_id,
                rows=change_rows,
                compare=compare,
                max_failures=10,
                kept_days=30,
            ),
            access,
        )
        guard = by_path(access_middleware(keys, rates), page.middleware)
        api: Any = Handlers(
            jobs=RequestHandlers(requests, store.subscriptions),
            bulk=BulkHandler(requests, store.subscriptions),
            events=Some(close=live.close),
        )
        await stack.enter_async_context(
            serve(api, [http_errors, guard], "127.0.0.1", port, page.routes)
        )
        address = f"http://127.0.0.1:{port}"
        yield ServedPage(
            base=address,
            store=store,
            keys=folder / "keys.json",
            register=register,
            health=health,
            progress=progress,
            latency=latency,
            findings=findings,
            redeliver=redeliver,
            send_suppressed=send_suppressed,
            judge=judge,
            letters=letters,
            live=live,
            compare=compare,
            clock=clock,
        )


async def open_more(tab: Page) -> None:
    """Open the part of the form to add a watch that few need."""
    await tab.locator("summary", has_text="More").click()


@cache
def _empty_store() -> bytes:
    """Return a store without rows: its tables take longer to create than to copy."""
    with TemporaryDirectory() as folder:
        with closing(connect(file := Path(folder, "store.db"))) as connection:
            migrate(connection, file)
        return file.read_bytes()


def _ms(clock: PageClock) -> int:
    return int(1000 * clock.now)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Start a browser; without one the test is skipped, or fails if it must run."""
    path = browser_path()
    async with async_playwright() as playwright:
        flags = [NO_SANDBOX, NO_GPU, ONE_PROCESS]
        browser = await playwright.chromium.launch(executable_path=path, args=flags)
        try:
            yield browser
        finally:
            await browser.close()
