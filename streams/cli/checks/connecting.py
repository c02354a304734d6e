"""Checks of ``vokter doctor`` with connections: disk, registry, store, claims."""

import asyncio
import shutil
from collections.abc import Sequence
from urllib.parse import urlsplit

from aiokafka import AIOKafkaConsumer

from connectors.access.keys import InvalidApiKeys, load_keys
from connectors.kafka.claims import claimed_key, claimed_store
from connectors.kafka.transactions import held_up_messages
from connectors.registry.client import RegistryRefused, RegistryUnavailable
from connectors.signing_key import InvalidSigningKey, find_signing_key
from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.objects import Objects
from connectors.stores.opening import open_store
from schemas.codec.signing import fingerprint
from schemas.records.answers import ModelQuery
from schemas.records.urls import without_userinfo
from streams.agents.judge.answers import InvalidAnswer, checked_answer
from streams.agents.judge.questions import SUMMARIZE
from streams.cli.checks.documents import (
    MOST_COUNTED,
    judge_failures,
    judge_losses,
    judge_returns,
    judge_waits,
)
from streams.cli.checks.finding import Finding, Level, failed_check
from streams.cli.checks.judgement import (
    judge_registry,
    judge_settings,
    judge_transactions,
)
from streams.effects.connections import kafka_access, record_codec
from streams.effects.judge import opened_model
from streams.settings import Settings

LOOK_AGAIN_S = 3.0
QUESTION = ModelQuery(
    SUMMARIZE,
    "There is nothing to summarize: answer with a JSON object with one field, summary, "
    'which is the text "ok".',
    '{"edits":[]}',
    '{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],'
    '"additionalProperties":false}',
)
"""The question to the language model."""
NO_DOCUMENT = "vokter-doctor:"
"""The URL of no document: a write without effect forgets the document."""


def check_settings(settings: Settings) -> list[Finding]:
    """Check the settings, the file of API keys, and the disk of the data folder."""
    try:
        has_keys = bool(load_keys(settings.keys_file))
    except InvalidApiKeys as error:
        return [failed_check("API keys", error, "Fix or delete the file.")]
    folder = settings.data_dir.absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    return list(judge_settings(settings, has_keys, free))


async def check_registry(settings: Settings, url: str) -> Finding:
    """Check the schema registry at ``url``, which may hold a login."""
    try:
        codec = record_codec(settings)
        missing, unreadable = await codec.missing(), await codec.unreadable()
    except RegistryUnavailable as error:
        remedy = "Start it, or correct SCHEMA_REGISTRY_URL: without it no process can start."
        return failed_check("schema registry", error, remedy)
    except RegistryRefused as error:
        remedy = "Check SCHEMA_REGISTRY_URL: its address and login."
        return failed_check("schema registry", error, remedy)
    addresses = [urlsplit(each).netloc.rpartition("@")[2] for each in url.split(",")]
    return judge_registry(", ".join(addresses), missing, unreadable)


async def check_model(settings: Settings) -> list[Finding]:
    """Check that the language model, if there is one, answers a short question as judge needs."""
    async with opened_model(settings) as model:
        if model.ask is None:
            return []
        reply = await model.ask(QUESTION)
    error, address = reply.error, without_userinfo(settings.model_url or "")
    try:
        checked_answer(QUESTION, reply.text)
    except InvalidAnswer as invalid:
        error = error or f"its answer cannot be used: {invalid}"
    about, name = "language model", f"{settings.model or 'the model'} at {address}"
    if not error:
        return [Finding(Level.OK, about, f"{name} answers ({reply.tokens} tokens)")]
    remedy = (
        "Check VOKTER_MODEL_URL (with /v1), VOKTER_MODEL and VOKTER_MODEL_KEY. Until it answers, "
        "notifications with a rule are sent without a verdict."
    )
    return [Finding(Level.WARNING, about, f"{name}: {error}", remedy)]


async def check_transactions(
    consumer: AIOKafkaConsumer, topics: Sequence[str], partitions: int
) -> list[Finding]:
    """Check whether a transaction of any producer holds up messages; look twice if so."""
    found = await held_up_messages(consumer, topics, partitions)
    if not any(waiting for _, waiting in found.values()):
        return []
    await asyncio.sleep(LOOK_AGAIN_S)
    later = await held_up_messages(consumer, topics, partitions)
    return judge_transactions(found, later, LOOK_AGAIN_S)


async def check_claims(settings: Settings, topic: str | None) -> list[Finding]:
    """Check the store and the signing key, and whether they are the deployment's.

    ``topic`` has the deployment's claims; None if missing.
    """
    found = [await check_store(settings, topic), await check_signing_key(settings, topic)]
    return [*found, await check_objects(settings)] if settings.bodies else found


async def check_objects(settings: Settings) -> Finding:
    """Check a write to the object store of bodies and pictures."""
    try:
        await Objects.open(settings.bodies).ping()
    except (StoreRefused, StoreUnavailable) as error:
        return failed_check("objects", error, "Check VOKTER_BODIES and the variables AWS_….")
    return Finding(Level.OK, "objects", f"{settings.bodies} can be written")


async def check_store(settings: Settings, topic: str | None) -> Finding:
    """Check a write to the store, and the claim of the store on ``topic``."""
    try:
        store = await open_store(settings.store_url, bodies=settings.bodies)
    except (StoreRefused, StoreUnavailable) as error:
        return failed_check("store", error, "Check VOKTER_STORE.")
    try:
        await store.snapshots.forget(NO_DOCUMENT, NO_DOCUMENT)
    except OSError as error:
        return failed_check("store", error, "Make it writable: check disk space and permissions.")
    finally:
        await store.close()
    claim = await claimed_store(kafka_access(settings), topic) if topic else None
    if claim is not None and claim.store != store.identity:
        text = f"{store.location} is not the store of this deployment, which is {claim.place}"
        remedy = "Set VOKTER_STORE to that one, or move to this one: vokter store claim"
        return Finding(Level.ERROR, "store", text, remedy)
    return Finding(Level.OK, "store", f"{store.location} can be written")


async def check_signing_key(settings: Settings, topic: str | None) -> Finding:
    """Check the signing key against the claim on ``topic``."""
    try:
        key = find_signing_key(settings.signing_key, settings.signing_file)
    except InvalidSigningKey as error:
        return failed_check("signing key", error, "Check VOKTER_SIGNING_KEY.")
    claim = await claimed_key(kafka_access(settings), topic) if topic else None
    if claim is None or (key is not None and fingerprint(key) == claim.fingerprint):
        text = "created at the first start" if key is None else fingerprint(key)
        return Finding(Level.OK, "signing key", text)
    remedy = "The API and deliver need VOKTER_SIGNING_KEY, or a copy of the file signing-key."
    if key is None:
        text = "this machine does not have the deployment's key"
        return Finding(Level.WARNING, "signing key", text, remedy)
    text = f"the key here is {fingerprint(key)}, but the deployment's is {claim.fingerprint}"
    return Finding(Level.ERROR, "signing key", text, remedy)


async def check_documents(settings: Settings, now: int) -> list[Finding]:
    """Check whether documents wait, fail, are lost or flapping; nothing if the store cannot say."""
    try:
        store = await open_store(settings.store_url)
    except (StoreRefused, StoreUnavailable):
        return []  # another finding says so
    try:
        return [
            judge_waits(await store.waits(MOST_COUNTED), now),
            judge_failures(await store.failing(MOST_COUNTED), has_good=await store.has_good()),
            judge_losses(await store.lost(MOST_COUNTED), now),
            judge_returns(await store.flapping(now, MOST_COUNTED)),
        ]
    except OSError:
        return []
    finally:
        await store.close()
