"""Announce, with the processes that send and the store that has the channels."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from connectors.channels.channel import Channel, channel_of
from connectors.channels.processes import SendingProcesses
from connectors.channels.sender import ChannelSender, LoadChannel
from connectors.channels.work import Egress
from connectors.credentials.vault import Vault
from connectors.metrics.counters import AnnounceMetrics
from connectors.metrics.observed import observed_announce, observed_digest
from schemas.records.channels import SCHEME
from streams.agents.deliver.agent import DeliverStage
from streams.agents.deliver.digests import DigestEffects
from streams.agents.deliver.outbox.recipients import CHANNELS
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.effects.credentials import opened_vault
from streams.effects.deliver import verifies_webhooks
from streams.effects.own_ports import OwnPorts
from streams.engine.worker import Tools
from streams.settings import Settings
from streams.values.topics import NOTIFICATIONS

MAX_DIGEST = 1_000_000
"""Bytes of the rows of one digest."""


@asynccontextmanager
async def build_announce(settings: Settings, tools: Tools) -> AsyncIterator[DeliverStage]:
    """Build the stage; its processes and the store are closed at the end."""
    async with (
        opened_store(settings) as store,
        opened_sender(settings, opened_vault(settings, store.credentials)) as sender,
    ):
        metrics = AnnounceMetrics(tools.registry)
        yield DeliverStage(
            post=observed_announce(sender.post, metrics),
            clock=now,
            schedule=settings.retry_schedule,
            served=CHANNELS,
            digests=DigestEffects(
                sender.digest,
                observed_digest(sender.post_digest, metrics),
                size=lambda row, _: len(row),
                most=MAX_DIGEST,
            ),
        )


def is_for_no_channel(topic: str, value: bytes) -> bool:
    """Return whether a message is surely a notification for a webhook or a session.

    Avro has texts as they are, so what does not contain the scheme of a channel names none.
    """
    return topic == NOTIFICATIONS.name and SCHEME.encode() not in value


@asynccontextmanager
async def opened_sender(settings: Settings, vault: Vault) -> AsyncIterator[ChannelSender]:
    """Open what sends to the channels in a vault, and close it at the end."""
    own = OwnPorts(settings)
    webhooks = not verifies_webhooks(settings)

    def egress() -> Egress:
        ports = tuple(sorted(own.all()))
        return Egress(settings.allow_private, settings.allow_ports, ports, webhooks)

    async with SendingProcesses(settings.proxy) as processes:
        yield ChannelSender(processes, _loading(vault), egress)


def _loading(vault: Vault) -> LoadChannel:
    async def load(manager: str, name: str) -> Channel:
        return channel_of(await vault.open(manager, name))

    return load
