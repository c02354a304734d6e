"""Signatures of webhooks, as https://www.standardwebhooks.com specifies them (v1, symmetric)."""

import hmac
from base64 import b64decode, b64encode

from schemas.facts import Notification, Subscription

MIN_KEY = 32
"""Characters of a deployment's key."""
PREFIX = "whsec_"
BOTH_HOLD = 24 * 3600
"""Seconds after a change of a secret for which the old one is used, too."""


def secret(deployment_key: bytes, subscription: str, rotation: int) -> str:
    """Give the secret of a subscription: ``whsec_`` and 32 bytes in Base64.

    It is derived (HMAC-SHA256) from the deployment's key, the subscription's id and how
    often its secret was rotated, so it need be kept nowhere and never travels.
    """
    name = f"{subscription}:{rotation}".encode()
    return PREFIX + b64encode(hmac.digest(deployment_key, name, "sha256")).decode()


def secret_of(deployment_key: bytes, subscription: Subscription) -> str | None:
    """Give the secret that a subscription has now; a session has none."""
    if subscription.receiver.client_url is None:
        return None
    return secret(deployment_key, subscription.id, subscription.rotation)


def signature(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Sign what is sent: ``v1,`` and the HMAC-SHA256 of id, epoch seconds and body in Base64."""
    key = b64decode(secret.removeprefix(PREFIX))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


def signatures(key: bytes, told: Notification, now: int, body: bytes) -> str:
    """Sign a notification's body, sent at ``now`` (epoch seconds), with each secret that may hold.

    That is the one that held when it was matched; the one before, for a day after the
    change; and the one after, because a notification may wait while its secret is changed.
    A signature tells nothing of its secret, so a future one can be used without harm.
    """
    rotations = [told.rotation, told.rotation + 1]
    if told.rotation > 0 and now - told.rotated // 1000 < BOTH_HOLD:
        rotations.append(told.rotation - 1)
    secrets = (secret(key, told.subscription, rotation) for rotation in rotations)
    return " ".join(signature(each, told.id, now, body) for each in secrets)


def fingerprint(deployment_key: bytes) -> str:
    """Give what a key can be recognised by, and nothing else be learned from: 16 hex digits."""
    return hmac.digest(deployment_key, b"fingerprint", "sha256").hex()[:16]
