"""Signatures of webhooks, as https://www.standardwebhooks.com specifies them (v1, symmetric)."""

import hmac
from base64 import b64decode, b64encode
from functools import lru_cache

from schemas.records.channels import channel_name
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription

PREFIX = "whsec_"
BOTH_HOLD = 24 * 3600
"""Seconds after a rotation in which the old secret is used, too."""


def secret(deployment_key: bytes, subscription: str, rotation: int) -> str:
    """Derive the secret of a subscription: ``whsec_`` and 32 bytes in Base64.

    The secret follows (HMAC-SHA256) from the deployment's key, the subscription's id and the number
    of rotations, so no store or topic ever has the secret.
    """
    return PREFIX + b64encode(_secret_key(deployment_key, subscription, rotation)).decode()


@lru_cache(maxsize=1024)  # each notification is signed with two or three of its subscription's
def _secret_key(deployment_key: bytes, subscription: str, rotation: int) -> bytes:
    return hmac.digest(deployment_key, f"{subscription}:{rotation}".encode(), "sha256")


def secret_of(deployment_key: bytes, subscription: Subscription) -> str | None:
    """Return the present secret of a subscription; a session and a channel have none."""
    if not has_secret(subscription):
        return None
    return secret(deployment_key, subscription.id, subscription.rotation)


def has_secret(subscription: Subscription) -> bool:
    """Return whether a subscription's notifications are signed: those of webhooks are."""
    client_url = subscription.receiver.client_url
    return client_url is not None and channel_name(client_url) is None


def signature(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Sign a request: ``v1,`` and the HMAC-SHA256 of id, epoch seconds and body in Base64."""
    return _signature(b64decode(secret.removeprefix(PREFIX)), webhook_id, timestamp, body)


def _signature(key: bytes, webhook_id: str, timestamp: int, body: bytes) -> str:
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


def signatures(key: bytes, notification: Notification, now: int, body: bytes) -> str:
    """Sign a notification's body, sent at ``now`` (epoch seconds), with each secret in use.

    The secrets at the match, before the match for a day after a change, and after the match,
    because a notification may wait while its secret is changed. A signature reveals nothing of its
    secret, so a future secret can be used without harm.
    """
    rotations = [notification.rotation, notification.rotation + 1]
    if notification.rotation > 0 and now - notification.rotated // 1000 < BOTH_HOLD:
        rotations.append(notification.rotation - 1)
    keys = (_secret_key(key, notification.subscription, rotation) for rotation in rotations)
    return " ".join(_signature(each, notification.id, now, body) for each in keys)


def fingerprint(deployment_key: bytes) -> str:
    """Return 16 hexadecimal digits to identify a key, which reveal nothing else of the key."""
    return hmac.digest(deployment_key, b"fingerprint", "sha256").hex()[:16]
