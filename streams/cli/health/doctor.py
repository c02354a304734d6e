"""``vokter doctor``: looks at all that a deployment stands on, and says what to do."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import typer
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from rich.console import Console
from rich.markup import escape

from connectors.api.access.keys import InvalidApiKeys, load_keys
from connectors.kafka.access import Access
from connectors.kafka.claims import claimed_key, claimed_store
from connectors.kafka.groups import describe, places
from connectors.kafka.inspection import FoundTopic, found_topics, newest, next_time
from connectors.registry.client import RegistryRefused, RegistryUnavailable
from connectors.signing_key import InvalidSigningKey, find_signing_key
from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.opening import open_store
from schemas.signing import fingerprint
from streams.cli.health import diagnosis
from streams.cli.health.diagnosis import Finding, Level, broken
from streams.cli.progress import waited_for
from streams.clock import now
from streams.pipeline import STAGES, topic_specs
from streams.settings import Settings
from streams.topics import DEPLOYMENT, SUBSCRIPTION_REQUESTS, TICKS, group_id
from streams.wiring.connections import kafka_access, record_codec

MARKS = {Level.OK: "[green]✓", Level.WARNING: "[yellow]!", Level.ERROR: "[red]✗"}
PATIENCE = 20.0
NOBODY = "vokter-doctor:"
"""A document that there is not; forgetting it writes, and changes nothing."""


async def run(settings: Settings) -> None:
    """Print all findings as they come; raises typer.Exit with status 1 where one is an error."""
    console, worst = Console(highlight=False), Level.OK
    async for finding in waited_for(findings(settings), "looking"):
        worst = finding.level if finding.level is Level.ERROR else worst
        about = f"{MARKS[finding.level]}[/] [bold]{escape(finding.about)}[/]"
        console.print(f"{about}: {escape(finding.text)}", soft_wrap=True)
        if finding.remedy:
            console.print(f"    {escape(finding.remedy)}", soft_wrap=True)
    if worst is Level.ERROR:
        raise typer.Exit(1)


async def findings(settings: Settings) -> AsyncIterator[Finding]:
    """Look at settings, schema registry, broker, topics, store, clock and stages, in this order."""
    for finding in _settings(settings):
        yield finding
    if settings.schema_registry_url is not None:
        yield await _registry(settings, settings.schema_registry_url.get_secret_value())
    try:
        async with asyncio.timeout(PATIENCE), _clients(kafka_access(settings)) as (admin, consumer):
            async for finding in _cluster(settings, admin, consumer):
                yield finding
    except (KafkaError, OSError) as error:
        where = f"Is Kafka running at {settings.kafka}? If it wants TLS or a password: "
        yield broken("broker", error, where + "VOKTER_KAFKA_SECURITY and what goes with it.")


def _settings(settings: Settings) -> list[Finding]:
    try:
        has_keys = bool(load_keys(settings.keys_file))
    except InvalidApiKeys as error:
        return [broken("API keys", error, "Mend or delete the file.")]
    room = shutil.disk_usage(_existing(settings.data_dir)).free
    return list(diagnosis.of_settings(settings, has_keys, room))


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


async def _registry(settings: Settings, url: str) -> Finding:
    try:
        codec = record_codec(settings)
        missing, unreadable = await codec.missing(), await codec.unreadable()
    except RegistryUnavailable as error:
        remedy = "Start it, or correct SCHEMA_REGISTRY_URL: without it no process can start."
        return broken("schema registry", error, remedy)
    except RegistryRefused as error:
        return broken("schema registry", error, "Check SCHEMA_REGISTRY_URL: its address and login.")
    places = [urlsplit(each).netloc.rpartition("@")[2] for each in url.split(",")]
    return diagnosis.of_registry(", ".join(places), missing, unreadable)


@asynccontextmanager
async def _clients(
    access: Access,
) -> AsyncIterator[tuple[AIOKafkaAdminClient, AIOKafkaConsumer]]:
    async with AsyncExitStack() as stack:
        admin = AIOKafkaAdminClient(**access.client())
        stack.push_async_callback(admin.close)
        await admin.start()
        consumer = AIOKafkaConsumer(**access.client(), group_id=None, enable_auto_commit=False)
        stack.push_async_callback(consumer.stop)
        await consumer.start()
        yield admin, consumer


async def _cluster(
    settings: Settings, admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer
) -> AsyncIterator[Finding]:
    begun = monotonic()
    brokers = len((await admin.describe_cluster())["brokers"])
    took = (monotonic() - begun) * 1000
    text = f"{settings.kafka}: {brokers} of them, answered in {took:.0f} ms"
    yield Finding(Level.OK, "broker", text)
    wanted = topic_specs(settings)
    found = await found_topics(admin, [topic.name for topic in wanted])
    for finding in diagnosis.of_topics(wanted, found, brokers, settings.replication):
        yield finding
    claims_at = settings.topic_prefix + DEPLOYMENT.name
    for finding in await _claims(settings, claims_at if claims_at in found else None):
        yield finding
    for finding in await _clock(settings, consumer, found):
        yield finding
    for name, stage in STAGES.items():
        group = await describe(admin, group_id(settings.topic_prefix, name))
        reads = [settings.topic_prefix + topic.name for topic in stage.reads]
        yield diagnosis.of_stage(name, group, frozenset(places(reads, settings.partitions)))


async def _claims(settings: Settings, topic: str | None) -> list[Finding]:
    """Look at the store and the key, and whether the deployment uses these."""
    return [await _store(settings, topic), await _key(settings, topic)]


async def _store(settings: Settings, topic: str | None) -> Finding:
    try:
        store = await open_store(settings.store_url)
    except (StoreRefused, StoreUnavailable) as error:
        return broken("store", error, "See VOKTER_STORE.")
    try:
        await store.snapshots.forget(NOBODY, NOBODY)
    except OSError as error:
        return broken("store", error, "Let it be written to: room on the disk, permissions.")
    finally:
        await store.close()
    claim = await claimed_store(kafka_access(settings), topic) if topic else None
    if claim is not None and claim.store != store.identity:
        text = f"{store.location} is not the deployment's, which is {claim.place}"
        return Finding(Level.ERROR, "store", text, "Set VOKTER_STORE, or 'vokter store claim'.")
    return Finding(Level.OK, "store", f"{store.location}, can be written")


async def _key(settings: Settings, topic: str | None) -> Finding:
    try:
        key = find_signing_key(settings.signing_key, settings.signing_file)
    except InvalidSigningKey as error:
        return broken("signing key", error, "See VOKTER_SIGNING_KEY.")
    claim = await claimed_key(kafka_access(settings), topic) if topic else None
    if claim is None or (key is not None and fingerprint(key) == claim.fingerprint):
        text = "made at the first start" if key is None else fingerprint(key)
        return Finding(Level.OK, "signing key", text)
    remedy = "The API and deliver need VOKTER_SIGNING_KEY, or a copy of the file signing-key."
    if key is None:
        return Finding(Level.WARNING, "signing key", "the deployment's is not here", remedy)
    text = f"the one here is {fingerprint(key)}, the deployment's {claim.fingerprint}"
    return Finding(Level.ERROR, "signing key", text, remedy)


async def _clock(
    settings: Settings, consumer: AIOKafkaConsumer, found: dict[str, FoundTopic]
) -> list[Finding]:
    requests, ticks = (settings.topic_prefix + t.name for t in (SUBSCRIPTION_REQUESTS, TICKS))
    if requests not in found or ticks not in found:
        return []
    noted = await newest(consumer, requests, found[requests].partitions)
    ticked = await next_time(consumer, ticks, found[ticks].partitions)
    return list(diagnosis.of_clock(now(), noted, ticked))
