"""The REST API against its own description, with calls that nobody would write by hand.

``VOKTER_FUZZ`` is the number of calls of each operation; ``make fuzz`` makes 10,000 in all, and
4,400 with all the limits of each parameter, as ``make test-all`` does.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, thread_time
from typing import Any
from unittest.mock import AsyncMock, Mock
from urllib.parse import quote

import pytest
import schemathesis
import yaml
from aiohttp import ClientSession, web
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from yarl import URL

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.api.admission import access_middleware
from connectors.api.bulk import BulkHandler
from connectors.api.credentials import CredentialsHandlers
from connectors.api.description import Description, description
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from connectors.api.documents.number_metrics import NumberMetrics
from connectors.api.history.events import EventStreams
from connectors.api.history.evidence import EvidenceHandlers
from connectors.api.history.facts import HistoryHandlers
from connectors.api.history.feed import FeedHandler
from connectors.api.history.search import SearchHandler
from connectors.api.history.suppressed import SuppressedHandlers
from connectors.api.http_errors import http_errors
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import CrawledPagesHandler, ListingHandlers
from connectors.api.server import ApiHandlers, routes, serve
from connectors.api.trials import BacktestHandler, TrialHandler
from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.vault import Vault
from connectors.evidence_key import EvidenceKey
from connectors.kafka.listener import Listener, LiveNotification, Positions
from connectors.mcp.serving import McpHandler
from connectors.reads.change_search import ChangeSearches
from connectors.reads.covered_pages import CoveredPages
from connectors.reads.deployment_health import Deployment
from connectors.reads.next_checks import NextChecks
from connectors.reads.trial_limits import BacktestLimits, TrialLimits
from connectors.requests.outcomes import ClientRequests
from connectors.requests.quotas import Quotas
from connectors.requests.suppressed import SuppressedNews
from connectors.serving import BASE
from connectors.serving.stream_slots import StreamSlots
from connectors.stores.cursor import read, written
from connectors.stores.opening import Store, open_store
from infra.ports import any_free
from schemas.records.changes import Diff, DocumentChanged
from schemas.records.credentials import Credentials
from schemas.records.deliveries import AttemptFailed, Delivered, DeliveryFailed
from schemas.records.documents import Document
from schemas.records.egress_policy import EgressPolicy
from schemas.records.facts import Fact
from schemas.records.failures import DocumentUnreachable
from schemas.records.faults import Fault, Refusal
from schemas.records.judgements import Suppressed
from schemas.records.notifications import Notification
from schemas.records.previews import IgnoredText, SeenPage, SelectorResult
from schemas.records.requests import ClientRequest
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.watches import Watch
from streams.agents.crawl.scope import why_not
from streams.agents.history.asked_subscription import subscription_of
from streams.agents.history.backtest import BacktestEffects
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules, check
from streams.effects.api import WORDS, find_past
from streams.effects.evidence import evidence_source
from streams.effects.search import search_words
from streams.settings import Settings
from streams.text.change_terms import change_terms
from streams.values.slots import next_slot
from tests.fakes.events import event
from tests.fakes.regions import removed
from tests.harness.examples import NEW, at_most
from tests.harness.waiting import TIMEOUT_S

pytest_plugins = ["schemathesis.pytest.plugin"]

ROOT = Path(__file__).parents[3]
DESCRIPTION = ROOT / "docs" / "openapi.yaml"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
CALLS = int(os.environ.get("VOKTER_FUZZ", at_most(80)))
"""Calls of each operation."""
# What /mcp answers is another protocol's: tests/connectors/mcp.
schema = schemathesis.openapi.from_path(DESCRIPTION).exclude(path="/mcp")
# To list the calls takes each process of the tests a third of what it takes to list all tests.
schema.config.phases.coverage.enabled = NEW or "VOKTER_FUZZ" in os.environ


PAGE, HOOK = "https://example.org/giants", "https://client.example/hook"
NAME = "3f1b8f6f7c1f1f0c5a5d3d9f0e8a7b6c"
WHO = ("s", "default", HOOK)
TO = ("s", "default", Receiver(HOOK))
REGION = removed("Greek")
SUBSCRIPTION = Subscription(
    NAME, NAME, "default", PAGE, PAGE, Receiver(HOOK + "/2"), ("*",), Options(interval=60), 1
)
DIFF = Diff("removed", "greek", "Greek", "Greek …")
SUPPRESSED_NEWS = Notification(
    "k", "c", *TO, "ok", PAGE, "text/html", (DIFF,), False, 2, 0, 0, "w", test=False,
    because="It is about giants.",
)  # fmt: skip
EXAMPLES: list[Fact] = [
    Subscribed("r", SUBSCRIPTION, PAGE, Watch(NAME, 60), 1),
    DocumentChanged("c", PAGE, NAME, 1, 0, "text/html", "en", (REGION,), 2),
    DocumentUnreachable("d", PAGE, NAME, 2, "", "answered 500", 3),
    Notification("n", "c", *TO, "ok", PAGE, "text/html", (DIFF,), False, 2, 0, 0, "w", test=False),
    Notification("m", "d", *TO, "timeout", PAGE, "", (), False, 3, 0, 0, "w", test=True),
    Delivered("n", *WHO, 1, 200, 3),
    AttemptFailed("o", *WHO, 1, "answered 500", 3, 4, 3, 500, "no"),
    DeliveryFailed("m", *WHO, 3, "answered 500", 3, 500),
    Suppressed(SUPPRESSED_NEWS, 4),
]
"""Data for the requests in the description's examples."""
WORDS_OF_SEARCH = search_words(Settings(data_dir=Path("none")))
BEFORE = Document(PAGE, NAME, 1, 1, "Greek giants: Argus", "text/html", "en", read_at=1)
AFTER = replace(BEFORE, slot=2, version=2, text="Giants: Argus, and giants", read_at=2)


class Deciding:
    """The register itself, without a broker between; what it decides is listed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._match = MatchProcessor(
            partition_of=lambda _: 0, rules=Rules(60, EgressPolicy().url_refusal)
        )
        self._match.begin(0)

    async def ask(self, request: ClientRequest) -> Any:
        facts: list[Any] = [send.record for send in self._match.decide(event(request)).sends]
        await self._store.read_side.record(facts)
        return facts[0]


class ExampleStream:
    """Sends the notifications of the examples to every listener, then ends."""

    topic_id = "1"

    @asynccontextmanager
    async def listen(
        self, manager: str, _: Positions | None, topic_id: str = ""
    ) -> AsyncIterator[tuple[Listener, Positions, Listener]]:
        listener = Listener(manager)
        for fact in EXAMPLES:
            if isinstance(fact, Notification):
                listener.offer(LiveNotification(fact, (fact.at, 0), 1))
        listener.close()
        yield listener, (0, 0), listener

    def close(self) -> None:
        """Nobody listens any more."""


RULES = Rules(60, EgressPolicy().url_refusal)


def refusal(asked: ClientRequest, unread: Sequence[Fault]) -> Refusal | None:
    found = check(asked, RULES, unread)
    return found if isinstance(found, Refusal) else None


async def all_well(manager: str, given: Credentials) -> None:
    """Refuse no credentials."""


async def example_page(asked: Subscription) -> SeenPage:
    """A page that has each keyword once."""
    matches = tuple(Diff("added", each, each, each) for each in asked.keywords)
    selectors = tuple(
        SelectorResult(f"view.select[{at}]", each, 1, "Zeus", doubt="nothing is before it")
        for at, each in enumerate(asked.options.view.select)
    )
    text = "\n".join(asked.keywords)
    ignored = tuple(
        IgnoredText(f"view.ignore[{at}]", each, 2, "12 views")
        for at, each in enumerate(asked.options.view.ignore)
    )
    return SeenPage(
        200,
        asked.document_url,
        text=text,
        selectors=selectors,
        ignored=ignored,
        matches=matches,
    )


class Well:
    """A deployment that is always healthy."""

    deployment = Deployment("d", "127.0.0.1:9092", 1, {})

    async def health(self, _: web.Request) -> web.Response:
        body = {"status": "ok", "deployment": "d", "agents": {}, "problems": []}
        return web.json_response(body)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_api(tmp_path_factory.mktemp("api")) as base:
        yield base


@contextmanager
def running_api(folder: Path) -> Iterator[str]:
    """The API on a real port; the caller's thread is free to wait for its answers.

    ``keys.json`` in the folder are its keys.
    """
    port = any_free()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(TIMEOUT_S)

    stack = AsyncExitStack()
    done(_open(stack, folder, port))
    yield f"http://127.0.0.1:{port}{BASE}"
    done(stack.aclose())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _open(stack: AsyncExitStack, folder: Path, port: int) -> None:
    store = await open_store(f"sqlite:{folder / 'vokter.db'}", history=1)
    await store.read_side.record(EXAMPLES, terms=lambda each: change_terms(each, each.language))
    assert await store.snapshots.compare_and_set(BEFORE, 0)
    assert await store.snapshots.compare_and_set(AFTER, 1)
    stack.push_async_callback(store.close)
    jobs: Any = Deciding(store)
    health: Any = Well()
    next_checks = NextChecks(next_slot, lambda _: 0, lambda: 1_700_000_000_000)
    listing = ListingHandlers(store.subscriptions, next_checks)
    stored = store.subscriptions
    quotas = Quotas(stored.count_active, stored.active_id, monotonic)
    requests = ClientRequests(jobs, quotas, b"k" * 32, store.credentials.get, refusal)
    live: Any = ExampleStream()
    texts = DocumentHandlers(store.texts, WORDS, SingleFlightCache(lambda: 0.0))
    histories, feed = HistoryHandlers(store.facts), FeedHandler(store.facts)
    vault = Vault(store.credentials, lambda: b"k" * 32, lambda: 1_700_000_000_000, monotonic)
    await vault.put("default", "news-desk", parse_credentials({"for": PAGE, "header": "A: b"}))
    begun = partial(subscription_of, RULES)
    trials = TrialHandler(TrialLimits(begun), example_page)
    effects = BacktestEffects(
        read=store.facts.history,
        cursor=written,
        place=read,
        compute=asyncio.to_thread,
        cpu=thread_time,
        language=str,
        oldest=lambda: 0,
        now=lambda: 1_700_000_000_000,
    )
    backtests = BacktestHandler(BacktestLimits(begun, partial(find_past, effects)))
    mcp = McpHandler(f"http://127.0.0.1:{port}")
    stack.push_async_callback(mcp.close)
    handlers = ApiHandlers(
        RequestHandlers(requests, stored),
        BulkHandler(requests, stored),
        listing,
        histories,
        SuppressedHandlers(SuppressedNews(store.facts, AsyncMock())),
        EvidenceHandlers(evidence_source(store, EvidenceKey(b"k" * 32))),
        texts,
        NumberMetrics(store.subscriptions, store.texts, SingleFlightCache(lambda: 0.0)),
        EventStreams(live, StreamSlots()),
        feed,
        SearchHandler(ChangeSearches(store.search, WORDS_OF_SEARCH)),
        trials,
        backtests,
        health,
        Description(),
        CredentialsHandlers(store.credentials, vault, all_well),
        CrawledPagesHandler(store.subscriptions, CoveredPages(store.facts, why_not)),
        mcp.handle,
    )
    guard = access_middleware(ApiKeys(folder / "keys.json"), CallRates(lambda: 0.0))
    await stack.enter_async_context(serve(handlers, [http_errors, guard], "127.0.0.1", port))


@schema.parametrize()
@settings(
    max_examples=CALLS,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_description_has(
    case: schemathesis.Case[Any], api: str
) -> None:
    case.call_and_validate(base_url=api, checks=CHECKS, timeout=TIMEOUT_S)


@pytest.mark.parametrize(
    ("path", "query", "names"),
    [
        (f"/subscriptions/{NAME}", {}, [NAME]),
        ("/changes", {"documentUrl": PAGE + "#part"}, ["d", "c"]),
        ("/changes", {"documentUrl": PAGE, "limit": "1"}, ["d"]),
        ("/notifications", {"client": HOOK}, ["m", "n"]),
        ("/notifications", {"client": "nobody"}, []),
        ("/notifications", {}, ["m", "n"]),
        ("/notifications", {"q": "gReek"}, ["n"]),
        ("/notifications", {"tag": "none"}, []),
        ("/search", {"q": "GREEKS"}, ["c"]),
        ("/search", {"q": "greek", "since": "1970-01-01T00:00:01Z"}, []),
        ("/deliveries", {"client": HOOK}, ["o", "n", "m"]),
    ],
)
async def test_recorded_facts_are_shown(
    api: str, path: str, query: dict[str, str], names: list[str]
) -> None:
    async with ClientSession() as http, http.get(api + path, params=query) as response:
        body = await response.json()
    assert response.status == 200
    items = next((value for value in body.values() if isinstance(value, list)), [])
    found = items if "next" in body else [body]
    ids = [item.get("id") or item.get("notification") or item["change"] for item in found]
    assert ids == names


@pytest.mark.parametrize(
    "text",
    [
        *("", "?!", "*", '""', "\0", "x" * 201, "a " * 100, "a b c d e f g h i j k l m n o p q"),
        *('"', "NEAR(a b, 5)", "words:a", "a AND", "-a", "^a", "(", "a OR", "{words}: a", "a'b'"),
        *(
            "\udcff greek",
            "\u0130i\u0307",
            "\u6771\u4eac",
            "\U0001f1e9\U0001f1ea",
            "greek\0zeus",
            "\u0640",
            "a \u0640",
        ),
    ],
)
async def test_no_search_is_an_error_of_the_server(api: str, text: str) -> None:
    url = URL(f"{api}/search?q={quote(text, errors='surrogateescape')}", encoded=True)
    async with ClientSession() as http, http.get(url) as response:
        body = await response.json()
    assert response.status in (200, 415)
    assert body.get("found", []) == [] or "greek" in text


async def test_a_delivery_that_was_given_up_shows_the_status_of_its_last_answer(api: str) -> None:
    async with ClientSession() as http, http.get(f"{api}/deliveries?client={HOOK}") as response:
        deliveries = (await response.json())["deliveries"]
    shown = [(each["state"], each["httpStatus"], each["reason"]) for each in deliveries]
    assert shown == [
        ("retrying", 500, "answered 500"),
        ("delivered", 200, None),
        ("failed", 500, "answered 500"),
    ]


FIRST = {"documentUrl": PAGE, "at": "1970-01-01T01:00:00.001+01:00"}


@pytest.mark.parametrize(
    ("path", "query", "notified"),
    [
        ("/snapshots", {"documentUrl": PAGE}, [("…00.002Z", None), ("…00.001Z", "…00.002Z")]),
        ("/words", FIRST, [("Greek", 0, 0, 5), ("giants", 1, 6, 12), ("Argus", 2, 14, 19)]),
        ("/words", {"documentUrl": PAGE, "limit": "1", "cursor": "1-8"}, [("Argus", 1, 8, 13)]),
        ("/occurrences", {"documentUrl": PAGE, "word": "giants"}, [("giants", 3, 19, 25)]),
        (
            "/occurrences",
            {"documentUrl": PAGE, "word": "GIANTS", "ignoreCase": "true"},
            [("Giants", 0, 0, 6), ("giants", 3, 19, 25)],
        ),
        (
            "/differences",
            {"documentUrl": PAGE},
            [("c", "removed", "removed", "Greek", 0, 5, [], [])],
        ),
        ("/differences", FIRST, []),
    ],
)
async def test_the_history_of_a_document_is_shown(
    api: str, path: str, query: dict[str, str], notified: list[tuple[Any, ...]]
) -> None:
    async with ClientSession() as http, http.get(api + path, params=query) as response:
        body = await response.json()
    assert response.status == 200
    (items,) = (value for value in body.values() if isinstance(value, list))
    assert [_values(item) for item in items] == notified


def _values(item: dict[str, Any]) -> tuple[Any, ...]:
    if "until" in item:
        return tuple(item[name] and "…" + item[name][17:] for name in ("at", "until"))
    return tuple(item.values())


async def test_a_snapshot_and_a_watched_document_are_shown(api: str) -> None:
    async with ClientSession() as http:
        async with http.get(api + "/snapshot", params=FIRST) as response:
            snapshot = await response.json()
        # What was made up before may have subscribed to others.
        async with http.get(api + "/documents", params={"limit": "1000"}) as response:
            documents = (await response.json())["documents"]
    assert (snapshot["text"], snapshot["language"]) == (BEFORE.text, "en")
    (found,) = [each["snapshot"] for each in documents if each["url"] == PAGE]
    assert found["at"] == "1970-01-01T00:00:00.002Z"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/snapshot?documentUrl=https://example.org/unknown", 404, "11"),
        (f"/words?documentUrl={PAGE}&at=1969-12-31T23:59:59Z", 404, "11"),
        (f"/words?documentUrl={PAGE}&at=2026-01-31", 415, "6"),
        (f"/words?documentUrl={PAGE}&cursor=1-x", 415, "6"),
        (f"/words?documentUrl={PAGE}&cursor=1-{'9' * 4000}", 200, None),
        (f"/occurrences?documentUrl={PAGE}&word=two+words", 415, "6"),
        (f"/occurrences?documentUrl={PAGE}", 415, "6"),
        (f"/occurrences?documentUrl={PAGE}&word=x&ignoreCase=yes", 415, "6"),
        ("/differences", 400, "1"),
        ("/subscriptions/nobody", 404, "11"),
        ("/changes?documentUrl=https://example.org/unknown", 404, "11"),
        ("/changes?documentUrl=nowhere", 400, "1"),
        ("/changes", 400, "1"),
        (f"/changes?documentUrl={PAGE}&limit=0", 415, "6"),
        (f"/changes?documentUrl={PAGE}&limit={'9' * 5000}", 415, "6"),
        (f"/deliveries?client={HOOK}&cursor=x", 415, "6"),
    ],
)
async def test_an_unknown_or_invalid_request_has_its_code(
    api: str, path: str, status: int, code: str
) -> None:
    async with ClientSession() as http, http.get(api + path) as response:
        assert (response.status, (await response.json()).get("code")) == (status, code)


async def test_a_feed_that_has_not_changed_is_not_sent_again(api: str) -> None:
    query = {"client": HOOK}
    async with ClientSession() as http:
        async with http.get(f"{api}/feed", params=query) as first:
            body, tag = await first.read(), first.headers["ETag"]
        assert body.count(b"<entry>") == 2
        known = {"If-None-Match": f'"other", {tag}'}
        async with http.get(f"{api}/feed", params=query, headers=known) as second:
            assert (second.status, await second.read()) == (304, b"")
        stale = {"If-None-Match": '"other"'}
        async with http.get(f"{api}/feed", params=query, headers=stale) as third:
            assert await third.read() == body


def test_every_route_is_described_and_nothing_else() -> None:
    described = {
        (method.upper(), BASE + path)
        for path, methods in schema.raw_schema["paths"].items()
        for method in methods
    }
    anything: Any = Mock()
    assert described == {(each.route.method, each.route.path) for each in routes(anything)}


def test_the_description_in_the_docs_is_what_make_schemas_writes() -> None:
    assert yaml.load(DESCRIPTION.read_text("utf-8"), yaml.CSafeLoader) == description()


async def test_a_backtest_finds_what_would_have_been_notified(api: str) -> None:
    body = {"documentUrl": PAGE, "keywords": ["greek", "argus"], "ignoreCase": True}
    async with ClientSession() as http, http.post(api + "/backtest", json=body) as response:
        found = await response.json()
    assert (found["since"], found["changes"], found["total"]) == ("1970-01-01T00:00:00.001Z", 1, 1)
    assert [each["keyword"] for each in found["keywords"]] == ["greek"]
    (notification,) = found["notifications"]
    assert (notification["change"], notification["diffs"][0]["text"]) == ("c", "Greek")


async def test_names_tell_subscriptions_apart_and_a_conflict_says_which_there_is(api: str) -> None:
    async with ClientSession() as http:

        async def post(action: str, **fields: Any) -> Any:
            body = {"documentUrl": PAGE + "?names", "session": "names", **fields}
            async with http.post(f"{api}/{action}", json=body) as response:
                return await response.json()

        async def listed(**query: str) -> list[tuple[str, str]]:
            async with http.get(f"{api}/subscriptions", params=query) as response:
                found = (await response.json())["subscriptions"]
            return [(each["id"], each["name"]) for each in found]

        first = await post("subscribe", keywords=["*"], name="  in   stock ")
        second = await post("subscribe", keywords=["*"], name="below 100")
        again = await post("subscribe", keywords=["argus"], name="in stock")
        assert (again["code"], again["id"], again["name"]) == ("5", first["id"], "in stock")
        taken = await post("rename", name="in stock", newName="below 100")
        assert (taken["code"], taken["id"], taken["name"]) == ("5", second["id"], "below 100")
        assert (await post("rename", name="in stock"))["code"] == "6"
        assert (await post("subscribe", keywords=["*"], name="x" * 201))["code"] == "6"
        assert (await post("rename", name="in stock", newName="sold out"))["id"] == first["id"]
        assert await listed(name="sold out") == [(first["id"], "sold out")]
        assert await listed(name="sold") == []
        assert await listed(search="OLD o") == [(first["id"], "sold out")]
        assert (await post("cancel", name="below 100"))["code"] == "0"
        assert (await post("cancel"))["code"] == "7", "none is without a name"
        # What is listed of one that has ended is the request for it.
        async with http.get(f"{api}/subscriptions/{second['id']}") as response:
            ended = await response.json()
        wanted = ("documentUrl", "session", "name", "keywords", "interval", "ignoreCase")
        restarted = await post("subscribe", **{each: ended[each] for each in wanted})
        assert (ended["state"], restarted["code"]) == ("cancelled", "0")
