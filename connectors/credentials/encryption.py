"""Credentials at rest: encrypted with a key derived from the deployment's signing key."""

import json
from base64 import urlsafe_b64encode
from dataclasses import astuple
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from connectors.credentials.errors import Locked
from schemas.records.credentials import Cookie, Credentials, LocalItem

_PURPOSE = b"vokter credentials, version 1"


class Sealer:
    """Encrypts and decrypts credentials.

    >>> sealer = Sealer(b"k" * 32)
    >>> sealed = sealer.seal("default", "news", Credentials("header", "https://example.org"))
    >>> sealer.unseal("default", "news", sealed).origin
    'https://example.org'
    """

    def __init__(self, signing_key: bytes) -> None:
        """Derive the key (HKDF, RFC 5869)."""
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(signing_key)
        self._fernet = Fernet(urlsafe_b64encode(derived))

    def seal(self, manager: str, name: str, credentials: Credentials) -> bytes:
        """Encrypt credentials; slow for large ones."""
        # Owner and name are inside, so that a row that was moved to another is of no use there.
        body = {
            "for": [manager, name],
            "kind": credentials.kind,
            "origin": credentials.origin,
            "headers": credentials.headers,
            "cookies": [astuple(each) for each in credentials.cookies],
            "local": [astuple(each) for each in credentials.local],
            "secrets": credentials.secrets,
        }
        return self._fernet.encrypt(json.dumps(body).encode())

    def unseal(self, manager: str, name: str, sealed: bytes) -> Credentials:
        """Decrypt credentials; raises Locked."""
        try:
            body: dict[str, Any] = json.loads(self._fernet.decrypt(sealed))
        except InvalidToken:
            raise Locked from None
        if body["for"] != [manager, name]:
            raise Locked
        return Credentials(
            kind=body["kind"],
            origin=body["origin"],
            headers=tuple((header, value) for header, value in body["headers"]),
            cookies=tuple(Cookie(*values) for values in body["cookies"]),
            local=tuple(LocalItem(*values) for values in body["local"]),
            secrets=tuple((secret, value) for secret, value in body["secrets"]),
        )
