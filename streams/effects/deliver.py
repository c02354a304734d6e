"""Deliver, with its webhook client and the processes for channels."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import time

from connectors.access.keys import load_keys
from connectors.channels.channel import Channel, channel_of
from connectors.channels.links import MessageLinks
from connectors.channels.processes import SendingProcesses
from connectors.channels.sender import ChannelSender
from connectors.channels.work import Egress
from connectors.credentials.vault import Vault
from connectors.http.egress import EgressGuard
from connectors.metrics.counters import ChannelMetrics, DeliverMetrics
from connectors.metrics.observed import observed_ask, observed_messages, observed_posts
from connectors.signed_links import SignedLinks
from connectors.signing_key import load_signing_key
from connectors.stores.errors import StoreRefused
from connectors.webhook import WebhookSender
from schemas.codec.body import MAX_BODY, body
from schemas.records.channels import Digest
from schemas.records.credentials import Credentials
from streams.agents.deliver.agent import DeliverProcessor
from streams.agents.deliver.granting import ChallengeEffects
from streams.agents.deliver.sending import DeliveryEffects, ReceiverEffects
from streams.effects.clock import now
from streams.effects.connections import egress_policy, opened_store
from streams.effects.credentials import opened_vault
from streams.effects.own_ports import OwnPorts
from streams.engine.members import Tools
from streams.settings import Settings

MAX_DIGEST = 1_000_000
"""Bytes of the rows of a channel's digest."""

OpenCredentials = Callable[[str, str], Awaitable[Credentials]]
"""Decrypts the credentials of a manager, by their name."""


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[DeliverProcessor]:
    """Build the agent; its webhook client, its processes and the store are closed at the end."""
    guard = EgressGuard(egress_policy(settings), settings.proxy)
    key = load_signing_key(settings.signing_key, settings.signing_file)
    metrics, messages = DeliverMetrics(tools.registry), ChannelMetrics(tools.registry)
    async with (
        WebhookSender(guard, key, contact=settings.contact) as webhook,
        _lazy_vault(settings) as open_credentials,
        opened_sender(settings, open_credentials) as channels,
    ):
        posts = observed_posts(webhook.send, metrics, now)
        messages_sent = observed_messages(channels.send, messages)
        challenges = ChallengeEffects(observed_ask(webhook.challenge, metrics), webhook.look_up)
        yield DeliverProcessor(
            effects=ReceiverEffects(
                webhooks=DeliveryEffects(
                    posts, _no_digest, lambda _, notification: len(body(notification)), MAX_BODY
                ),
                channels=DeliveryEffects(
                    messages_sent, channels.digest, lambda row, _: len(row), MAX_DIGEST
                ),
            ),
            clock=now,
            schedule=settings.retry_schedule,
            challenges=challenges if verifies_webhooks(settings) else None,
        )


@asynccontextmanager
async def opened_sender(
    settings: Settings, open_credentials: OpenCredentials
) -> AsyncIterator[ChannelSender]:
    """Open the sender to the channels of managers, and close the sender at the end."""
    own = OwnPorts(settings)
    page = settings.public_url or ""
    key = load_signing_key(settings.signing_key, settings.signing_file) if page else b""
    links = MessageLinks(page, SignedLinks(key, time))
    webhooks = not verifies_webhooks(settings)

    def egress() -> Egress:
        ports = tuple(sorted(own.all()))
        return Egress(settings.allow_private, settings.allow_ports, ports, webhooks)

    async def load(manager: str, name: str) -> Channel:
        return channel_of(await open_credentials(manager, name))

    async with SendingProcesses(settings.proxy) as processes:
        yield ChannelSender(processes, load, egress, links.of, settings.language)


@asynccontextmanager
async def _lazy_vault(settings: Settings) -> AsyncIterator[OpenCredentials]:
    """Open the store with the first message to a channel: webhooks need no store.

    A store which cannot be opened counts as unavailable, so the messages of a channel wait.
    """
    vaults, lock = list[Vault](), asyncio.Lock()

    async def open_credentials(stack: AsyncExitStack, manager: str, name: str) -> Credentials:
        async with lock:
            if not vaults:
                try:
                    store = await stack.enter_async_context(opened_store(settings))
                except StoreRefused as error:
                    raise OSError(str(error)) from error
                vaults.append(opened_vault(settings, store.credentials))
        return await vaults[0].open(manager, name)

    async with AsyncExitStack() as stack:
        yield partial(open_credentials, stack)


async def _no_digest(*_: str) -> Digest | None:
    """Return None: a webhook has digests for a subscription, never for all."""
    return None


def verifies_webhooks(settings: Settings) -> bool:
    """Return whether webhooks must answer a challenge before they are notified.

    Raises InvalidKeys if the file of API keys cannot be read.
    """
    if settings.verify_webhooks == "auto":
        return settings.oidc_issuer is not None or bool(load_keys(settings.keys_file))
    return settings.verify_webhooks == "on"
