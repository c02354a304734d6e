"""Partitions are added while pages change: nothing is missing, repeated or out of order."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from signal import SIGKILL

import pytest
from aiohttp import ClientConnectionError, ClientSession
from aiokafka.errors import InvalidPartitionsError

from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client
from connectors.kafka.inspection import found_topics
from connectors.kafka.topics import TopicSpec, create_topics
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import DEAD_LETTERS, SUBSCRIPTION_REQUESTS
from streams.app import AGENTS
from streams.repartition.growing import check_growable
from streams.repartition.growth import Growth, NoGrowth
from streams.repartition.row_moves import PLACES, RowBefore, TableContext
from streams.values.agent import changelog_topic
from streams.values.partitions import partition_of
from tests.broker.test_crawl import covers, linking
from tests.harness.commands import Command, vokter
from tests.harness.facts import everything, producer
from tests.harness.hooks import Hook, Hooks
from tests.harness.pages import Page, Pages, site
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import eventually, until

PAGES, RECEIVERS, VERSIONS = 6, 3, 24
KILLED_AFTER = ("Waiting for the workers", "Adding partitions", "match subscriptions: rows moved")
VERSION = re.compile(r"version (\d+)")


@dataclass(frozen=True, slots=True)
class Case:
    """How many partitions there are, and how many there will be."""

    former: int
    partitions: int


@pytest.fixture(params=[Case(2, 6), Case(8, 32)], ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture
def deployment(broker: LocalBroker, tmp_path: Path, case: Case) -> Iterator[Deployment]:
    with Deployment(
        broker.bootstrap,
        tmp_path,
        is_kept=True,
        excuse="partitions are added",
        partitions=case.former,
        retry_schedule=(0, *(1,) * 100),
    ) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@dataclass
class Failing(Hook):
    """A receiver that accepts nothing until it is well."""

    is_well: bool = False

    def status(self, name: str) -> int:
        return 204 if self.is_well else 503


def seen(hook: Hook, page: Page) -> list[int]:
    """The versions of a page that a receiver has accepted, in their order."""
    accepted = [post for post in hook.posts if post.status == 204]
    mine = [post for post in accepted if page.url in (post.body["url"], post.body.get("document"))]
    # A change replaces a version by the next one, and names both.
    return [max(map(int, VERSION.findall(post.raw.decode()))) for post in mine]


async def call_on(port: int, done: asyncio.Event) -> Counter[str]:
    """Subscribe again and again, as many clients would; count the answers."""
    answers: Counter[str] = Counter()
    async with ClientSession() as http:
        for number in count():
            if done.is_set():
                return answers
            document = f"http://127.0.0.1:1024/{number}"
            body = {
                "documentUrl": document,
                "clientUrl": "http://127.0.0.1:1024/",
                "keywords": ["a"],
            }
            url = f"http://127.0.0.1:{port}/vokter/v1/subscribe"
            try:
                async with http.post(url, json=body) as response:
                    answer = await response.json()
            except ClientConnectionError:
                answers["no connection"] += 1
            else:
                is_paused = "Retry-After" in response.headers
                answers["paused" if is_paused else str(response.status)] += 1
                if response.status == 200:
                    answers[f"granted {answer['id']}"] += 1
            await asyncio.sleep(0.2)
    raise AssertionError("count() never ends")


async def grow(deployment: Deployment, folder: Path, partitions: int) -> None:
    """Add partitions with a command that is killed at several steps, and is run again."""
    wanted = str(partitions)
    env = environment(deployment.settings)
    for step in KILLED_AFTER:
        async with Command(env, folder, "repartition", wanted) as command:
            await command.says(step)
            command.signal(SIGKILL)
            await command.ended()
    doctor = await vokter(env, folder, "doctor")
    assert doctor.status == 1
    assert f"go on: vokter repartition {wanted}" in doctor.out
    done = await vokter(env, folder, "repartition", wanted)
    assert done.status == 0, done


async def rows_are_where_they_belong(deployment: Deployment, case: Case) -> None:
    """Each row of each table is in the partition in which it would be looked for."""
    growth = Growth(case.former, case.partitions, partition_of)
    tables = [(agent.name, table.name) for agent in AGENTS.values() for table in agent.tables]
    for agent, table in tables:
        topic = changelog_topic(deployment.settings.topic_prefix, agent, table)
        messages = await everything(deployment.settings, topic)
        rows = {(each.partition, each.key): each.value for each in messages}
        kept = [RowBefore(*place, row, TableContext()) for place, row in rows.items() if row]
        roots = TableContext()
        for row in kept if table == "pages" else ():
            roots.note(row.key, row.value)
        for row in kept:
            assert row.partition in _places(table, row, roots.roots, growth), row


def _places(table: str, row: RowBefore, roots: dict[str, str], growth: Growth) -> set[int]:
    """Return where a row would be, had it been in the former partition."""
    partition = row.partition % growth.former
    former = row._replace(partition=partition, context=TableContext(2**62, roots))
    return {each.partition for each in PLACES[table](former, growth)}


@dataclass(frozen=True, slots=True)
class Watched:
    """Pages, and who is notified of them."""

    documents: list[Page]
    leaves: list[Page]
    receivers: list[Hook]
    crawler: Hook
    failing: Failing

    @property
    def pages(self) -> list[Page]:
        return [*self.documents, *self.leaves]

    @property
    def pairs(self) -> list[tuple[Hook, Page]]:
        """Who is to be notified of each version of which page."""
        return [*product(self.receivers, self.documents), *product([self.crawler], self.leaves)]

    def all_have(self, versions: int) -> bool:
        return all(page.version >= versions for page in self.documents)


@pytest.mark.slow
async def test_nothing_is_lost_repeated_or_out_of_order_when_partitions_are_added(
    deployment: Deployment, hooks: Hooks, tmp_path: Path, case: Case
) -> None:
    everyone, done = list(range(2, VERSIONS + 2)), asyncio.Event()
    async with site(3) as pages, client(deployment.settings.port) as rest:
        await rest.ready()
        watched = await _watched(rest, pages, hooks)
        late = await _waiting(deployment, watched, hooks)
        calling = asyncio.create_task(call_on(deployment.settings.port, done))
        await grow(deployment, tmp_path, case.partitions)
        deployment.start("match", "deliver")
        await rest.ready()
        watched.failing.is_well = True
        await until(lambda: all(each.version == VERSIONS for each in watched.pages), "all are seen")
        for page in watched.pages:
            page.text = f"<p>version {VERSIONS + 1}"
        await until(
            lambda: all(len(seen(*pair)) >= len(everyone) for pair in watched.pairs),
            "all are notified of all versions",
        )
        document = watched.documents[0]
        await until(lambda: seen(late, document)[-1:] == everyone[-1:], "who came late, too")
        done.set()
        answers = await calling
        await _are_registered(rest, answers)
        await rest.tidy()
    assert [seen(*pair) for pair in watched.pairs] == [everyone] * len(watched.pairs)
    statuses = {key for key in answers if not key.startswith("granted")}
    assert "paused" in statuses <= {"200", "503", "paused", "no connection"}
    letters = deployment.settings.topic_prefix + DEAD_LETTERS.name
    assert await everything(deployment.settings, letters) == []
    await rows_are_where_they_belong(deployment, case)


async def _watched(rest: Rest, pages: Pages, hooks: Hooks) -> Watched:
    """Subscribe receivers to pages, one to all of them, and one to a crawl."""
    failing = hooks.add(Failing)
    assert isinstance(failing, Failing)
    receivers = [failing, *(hooks.add() for _ in range(RECEIVERS))]
    documents = [pages.add("<p>version 1", number % 3) for number in range(PAGES)]
    leaves = [pages.add("<p>version 1", number) for number in range(3)]
    for page, hook in product(documents, receivers):
        await rest.subscribe(page.url, hook.url, "*")
    everywhere, crawler = hooks.add(), hooks.add()
    # Many words, so that each partition of percolate has some.
    words = [f"version {number}" for number in range(2, VERSIONS + 2)]
    of_all = {"documentUrl": "pages:*", "clientUrl": everywhere.url, "keywords": words}
    assert (await rest.call("/subscribe", of_all)).status == 200
    root = pages.add(linking("root", *leaves))
    crawl = await rest.subscribe(root.url, crawler.url, "*", crawl={"depth": 1})
    await covers(rest, crawl, *leaves)
    watched = Watched(documents, leaves, [*receivers, everywhere], crawler, failing)
    for page in watched.pages:
        await page.stored()
    return watched


async def _waiting(deployment: Deployment, watched: Watched, hooks: Hooks) -> Hook:
    """Let something wait in the outbox, for deliver, for match and among the requests."""
    for page in watched.pages:
        page.upcoming += [f"<p>version {number}" for number in range(2, VERSIONS + 1)]
    await watched.failing.notified(2 * PAGES)
    await asyncio.to_thread(deployment.stop, "deliver")
    await until(lambda: watched.all_have(5), "pages change")
    await asyncio.to_thread(deployment.stop, "match")
    await until(lambda: watched.all_have(8), "they change again")
    return await _request_on_the_topic(deployment, watched.documents[0], hooks)


async def _request_on_the_topic(deployment: Deployment, page: Page, hooks: Hooks) -> Hook:
    """Subscribe as a client of Kafka does, without waiting for the answer."""
    hook = hooks.add()
    request = Subscribe(
        page.url, Receiver(hook.url), "late", keywords=("*",), options=Options(interval=1)
    )
    topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    async with producer(deployment.settings) as kafka:
        await kafka.send_and_wait(topic, wire.encode(request), key=page.url.encode())
    return hook


async def _are_registered(rest: Rest, answers: Counter[str]) -> None:
    """All that were granted are listed."""
    granted = {key.removeprefix("granted ") for key in answers if key.startswith("granted")}

    async def are_listed() -> bool:
        return granted <= {each["id"] for each in await rest.all()}

    await eventually(are_listed, f"{len(granted)} subscriptions are listed")


async def test_brokers_are_asked_whether_partitions_can_be_added_before_any_worker_stops(
    broker: LocalBroker,
) -> None:
    access, there, missing = Access(broker.bootstrap), "grown-there", "grown-missing"
    await create_topics(access, [TopicSpec(there, 4)])
    async with admin_client(access) as admin:
        await check_growable(admin, [there], 4, 8)
        with pytest.raises(NoGrowth, match=f"the topic {missing} is missing"):
            await check_growable(admin, [there, missing], 4, 8)
        with pytest.raises(NoGrowth, match=f"{there} has 4 partitions, and the deployment 2"):
            await check_growable(admin, [there], 2, 8)
        with pytest.raises(InvalidPartitionsError):
            await check_growable(admin, [there], 4, 2)
        assert (await found_topics(admin, [there]))[there].partitions == 4
