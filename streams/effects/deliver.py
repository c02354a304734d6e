"""Deliver, with its webhook client and the signing key."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from connectors.access.keys import load_keys
from connectors.http.egress import EgressGuard
from connectors.metrics.counters import DeliverMetrics
from connectors.metrics.observed import observed_ask, observed_post, observed_posts
from connectors.signing_key import load_signing_key
from connectors.webhook import WebhookSender
from schemas.codec.body import MAX_BODY, body
from schemas.records.channels import Digest
from schemas.records.notifications import Notification
from streams.agents.deliver.agent import DeliverStage
from streams.agents.deliver.digests import DigestEffects
from streams.agents.deliver.granting import ChallengeEffects
from streams.effects.clock import now
from streams.effects.connections import egress_policy
from streams.engine.worker import Tools
from streams.settings import Settings


@asynccontextmanager
async def build_deliver(settings: Settings, tools: Tools) -> AsyncIterator[DeliverStage]:
    """Build the stage; its webhook client is closed at the end."""
    guard = EgressGuard(egress_policy(settings), settings.proxy)
    key = load_signing_key(settings.signing_key, settings.signing_file)
    async with WebhookSender(guard, key, contact=settings.contact) as webhook:
        metrics = DeliverMetrics(tools.registry)
        effects = ChallengeEffects(observed_ask(webhook.challenge, metrics), webhook.look_up)
        challenges = effects if verifies_webhooks(settings) else None
        post = observed_post(webhook.post, metrics, now)
        posts = observed_posts(webhook.post_digest, metrics)
        yield DeliverStage(
            post=post,
            clock=now,
            schedule=settings.retry_schedule,
            challenges=challenges,
            digests=DigestEffects(_no_digest, posts, _size, MAX_BODY),
        )


async def _no_digest(*_: str) -> Digest | None:
    """Return that a webhook gets none at an hour that it has for all subscriptions."""
    return None


def _size(_: bytes, notification: Notification) -> int:
    return len(body(notification))


def verifies_webhooks(settings: Settings) -> bool:
    """Return whether webhooks must answer a challenge before they are notified.

    Raises InvalidKeys if the file of API keys cannot be read.
    """
    if settings.verify_webhooks == "auto":
        return settings.oidc_issuer is not None or bool(load_keys(settings.keys_file))
    return settings.verify_webhooks == "on"
