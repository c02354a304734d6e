"""Signatures of webhooks, as https://www.standardwebhooks.com specifies them (v1, symmetric)."""

import hmac
from base64 import b64decode, b64encode

PREFIX = "whsec_"


def secret(deployment_key: bytes, subscription: str, rotation: int) -> str:
    """Give the secret of a subscription: ``whsec_`` and 32 bytes in Base64.

    It is derived (HMAC-SHA256) from the deployment's key, the subscription's id and how
    often its secret was rotated, so it need be kept nowhere and never travels.
    """
    name = f"{subscription}:{rotation}".encode()
    return PREFIX + b64encode(hmac.digest(deployment_key, name, "sha256")).decode()


def signature(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Sign what is sent: ``v1,`` and the HMAC-SHA256 of id, epoch seconds and body in Base64."""
    key = b64decode(secret.removeprefix(PREFIX))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()
