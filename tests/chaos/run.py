"""One run: documents that change, workers that die, and what came of it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.groups import describe_group
from infra.ports import any_free
from schemas.records.subscriptions import Options
from schemas.records.topics import CHANGES, DELIVERIES, NOTIFICATIONS
from streams.effects.connections import kafka_access
from streams.settings import Settings
from streams.values.agent import group_id
from tests.chaos.audit import Report, audit, missing
from tests.chaos.comings import Comings, seen_versions
from tests.chaos.crew import Crew
from tests.chaos.further import Further
from tests.chaos.havoc import Havoc
from tests.chaos.plan import WORKERS, Act, Sizes, acts
from tests.chaos.receivers import Sorting, receiver
from tests.chaos.repeats import Records, repeats
from tests.chaos.rules import Rules, model_settings, running_model
from tests.chaos.stores import running_store
from tests.chaos.strangers import Strangers
from tests.harness.cluster import Cluster
from tests.harness.facts import everything
from tests.harness.hooks import Hook, Hooks, receivers
from tests.harness.load import Watcher, posts, subscribe, text
from tests.harness.pages import Page, site
from tests.harness.processes import VOKTER, Deployment
from tests.harness.rest import Rest, client

WORDS = ("*", "odd", "even", "*", "river")
SEVERAL = {"pages:*": "odd", "pages:127.0.0.*": "even", "pages:127.*": "river"}
"""Subscriptions for several pages, each with a word."""
FANOUT_EVERY = 200
"""One of so many changes is one of the document with very many subscriptions."""
QUIET = 120.0
"""Seconds without a POST and without progress of record, after which what was not delivered counts
as missing: of a rule, record may have yet to store what was suppressed."""
LONGEST_S = 1_800
PROGRESS = 10.0
RULED = 12
"""Pages that are watched by a rule in plain words, too."""

Say = Callable[[str], None]
Progress = Callable[[], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found, what went wrong in it on purpose, and what ended by itself."""

    report: Report
    lost: list[str]
    killed: int
    in_rebalance: int
    ended: dict[str, int]
    repeated: Counter[str]
    """Duplicates by their causes."""


async def run(
    folder: Path,
    seed: int,
    sizes: Sizes,
    say: Say,
    line: Sequence[str] = VOKTER,
    plan: list[Act] | None = None,
) -> Result:
    """Plant changes while a plan is carried out, wait for notifications, and audit them.

    Without a ``plan`` all goes wrong that can, at times that follow from the seed.
    """
    random = Random(seed)  # noqa: S311 - a plan, not a secret
    plan = acts(random, sizes) if plan is None else plan
    with running_store(sizes.store, folder) as store:
        cluster = Cluster(folder, sizes.brokers)
        async with site(sizes.hosts) as pages, receivers() as hooks, cluster.running():
            added = [pages.add(text(1), n % sizes.hosts) for n in range(sizes.documents)]
            watchers = [
                Watcher(page, hooks.add(partial(receiver, random)), word)
                for page in added
                for word in WORDS
            ]
            # One of its documents has very many subscriptions.
            watchers += [
                Watcher(added[0], hooks.add(), WORDS[n % len(WORDS)]) for n in range(sizes.fanout)
            ]
            several = {document: sorting(hooks) for document in SEVERAL}
            of_several = [
                Watcher(page, hook.part(page.url), SEVERAL[document])
                for document, hook in several.items()
                for page in added
            ]
            further = Further(random, pages, hooks, added)
            for hook in several.values():
                for page in further.pages:
                    hook.part(page.url)  # apart, and not audited: the pages differ in their ways
            rules = Rules(added[-RULED:], hooks)
            others = [*of_several, *further.watchers, *rules.watchers]
            comings = Comings(random, added, hooks)
            port = any_free()
            with (
                Deployment(
                    cluster.bootstrap,
                    folder / "vokter",
                    line,
                    partitions=8,
                    store=store.url,
                    **model_settings(port),
                ) as vokter,
                running_model(vokter.settings, port, seed) as model,
            ):
                crew = Crew(vokter, (*WORKERS, "api"), cluster.second)
                strangers = Strangers(vokter.settings, pages, hooks)
                havoc = Havoc(
                    random,
                    cluster,
                    store,
                    vokter.settings,
                    crew=crew,
                    strangers=strangers,
                    model=model,
                    watchers=watchers,
                    say=say,
                )
                async with (
                    client(vokter.settings.port) as rest,
                    beside(
                        crew.supervise(say),
                        rules.follow(rest),
                        _progress([*watchers, *others], say),
                    ),
                ):
                    await _subscribed(rest, watchers, several, further, sizes)
                    await rules.subscribe(rest, sizes.interval)
                    say(f"{len(watchers)} subscriptions of {len(added)} documents: it begins")
                    async with asyncio.TaskGroup() as both:
                        both.create_task(_plant(added, random, sizes))
                        both.create_task(further.plant(rest, sizes.seconds))
                        both.create_task(comings.come_and_go(rest, sizes.seconds))
                        both.create_task(havoc.carry_out(plan))
                    say("nothing more goes wrong")
                    async with record_progress(vokter.settings) as recorded:
                        lost = await not_delivered([*watchers, *others], recorded)
                    await comings.rest()
                say("stopping")
                await crew.stop()
            names = (
                vokter.settings.topic_prefix + topic.name
                for topic in (CHANGES, NOTIFICATIONS, DELIVERIES)
            )
            *facts, deliveries = [await everything(vokter.settings, name) for name in names]
    seen = seen_versions(facts[0])
    report = audit([*watchers, *others], *facts)
    lost += comings.lost(seen)
    say(f"{comings.due(seen)} notifications were due to subscriptions that came and went")
    report = replace(
        report,
        expected=report.expected + comings.due(seen),
        missing=report.missing + len(comings.lost(seen)),
        untimely=len(comings.untimely(seen)),
        disordered=len(rules.disordered()),
    )
    lost += [*comings.untimely(seen), *rules.disordered()]
    say(f"{sum(len(each.suppressed) for each in rules.watchers)} notifications were suppressed")
    records = Records(crew.endings)
    records.read_deliveries(deliveries)
    for log in vokter.logs():
        records.read_log(log.read_text("utf-8", "replace"))
    repeated = Counter(map(records.cause, repeats([*watchers, *others])))
    return Result(report, lost, crew.killed, havoc.in_rebalance, dict(crew.ended), repeated)


def sorting(hooks: Hooks) -> Sorting:
    """Add a receiver of several pages."""
    hook = hooks.add(Sorting)
    assert isinstance(hook, Sorting)
    return hook


async def _subscribed(
    rest: Rest,
    watchers: list[Watcher],
    several: Mapping[str, Hook],
    further: Further,
    sizes: Sizes,
) -> None:
    await rest.ready()
    # They count once match has heard of them: while there are the others to subscribe.
    for document, hook in several.items():
        word, plain = SEVERAL[document], Options().interval
        await rest.subscribe(document, hook.url, word, interval=plain, ignoreRemoved=True)
    await subscribe(rest, watchers, sizes.interval)
    await further.subscribe(rest, sizes.interval, sizes.seconds)


async def _plant(pages: list[Page], random: Random, sizes: Sizes) -> None:
    """Change one document after another, evenly over the time."""
    for number in range(sizes.changes):
        page = pages[0] if number % FANOUT_EVERY == 0 else random.choice(pages)
        page.upcoming.append(text(page.planned + 1))
        await asyncio.sleep(sizes.seconds / sizes.changes)


@asynccontextmanager
async def record_progress(settings: Settings) -> AsyncIterator[Progress]:
    """Yield a function that counts the messages that record has stored."""
    admin = AIOKafkaAdminClient(**kafka_access(settings).client())
    await admin.start()
    name = group_id(settings.topic_prefix, "record")

    async def stored() -> int:
        return sum((await describe_group(admin, name)).committed.values())

    try:
        yield stored
    finally:
        await admin.close()


async def not_delivered(watchers: list[Watcher], recorded: Progress) -> list[str]:
    """Wait until all is delivered, or receivers and record get nothing; return what is missing."""
    known, quiet = (-1, -1), 0.0
    for _ in range(LONGEST_S):
        if not watchers or quiet >= QUIET:
            break
        await asyncio.sleep(1)
        now = posts(watchers), await recorded()
        quiet = quiet + 1 if now == known else 0.0
        known = now
        watchers = [watcher for watcher in watchers if missing(watcher)]
    return [f"{w.page.url} {w.word!r} {w.hook.url}: {sorted(missing(w))}" for w in watchers]


async def _progress(watchers: list[Watcher], say: Say) -> None:
    pages = list({watcher.page.url: watcher.page for watcher in watchers}.values())
    while True:
        await asyncio.sleep(PROGRESS)
        planted = sum(page.planned - 1 for page in pages)
        seen = sum(page.version - 1 for page in pages)
        say(f"planted {planted}, requested {seen}, POSTs {posts(watchers)}")


@asynccontextmanager
async def beside(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do work meanwhile; its error ends the run."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]
        yield
        for task in tasks:
            task.cancel()
