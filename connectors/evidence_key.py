"""Signs statements with a key of the deployment, and checks them: JSON Web Signatures (RFC 7515).

The key is Ed25519 (RFC 8032), derived from the deployment's signing key, so stored nowhere.
"""

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey
from joserfc.jws import JWSRegistry, deserialize_compact, serialize_compact

ALGORITHM = "Ed25519"
"""RFC 9864."""
MAX_STATEMENT = 4_000_000
"""Bytes of JSON: a notification has at most 256 KB of text, of which escapes make six times."""
_PURPOSE = b"vokter evidence, version 1"


class SignatureRefused(Exception):
    """A signature does not fit its statement and key; the message is for people."""


class EvidenceKey:
    """Signs the deployment's statements.

    >>> key = EvidenceKey(b"k" * 32)
    >>> signed_statement(key.sign({"made": "today"}), key.public)
    {'made': 'today'}
    """

    def __init__(self, signing_key: bytes) -> None:
        """Derive the key (HKDF, RFC 5869)."""
        seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(signing_key)
        self._key = OKPKey.import_key(Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def public(self) -> dict[str, Any]:
        """The public key as a JSON Web Key (RFC 7517); ``kid`` is its thumbprint (RFC 7638)."""
        return {**self._key.as_dict(private=False), "kid": self.id, "alg": ALGORITHM, "use": "sig"}

    @property
    def id(self) -> str:
        """The thumbprint by which people compare keys."""
        return self._key.thumbprint()

    def sign(self, statement: dict[str, Any]) -> str:
        """Return the statement with its signature, in the compact form (RFC 7515, 7.1)."""
        header = {"alg": ALGORITHM, "kid": self.id}
        payload = json.dumps(statement)
        return serialize_compact(header, payload, self._key, registry=_registry())


def signed_statement(signed: str, public_key: dict[str, Any]) -> Any:
    """Return the statement of a signature.

    Raises SignatureRefused unless the key signed the statement.
    """
    try:
        key = OKPKey.import_key(public_key)
        found = deserialize_compact(signed, key, registry=_registry())
        return json.loads(found.payload)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise SignatureRefused("The signature is not one of this key, or was changed.") from error


def key_id(public_key: dict[str, Any]) -> str:
    """Return the thumbprint of a public key. Raises SignatureRefused for an invalid key."""
    try:
        return OKPKey.import_key(public_key).thumbprint()
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise SignatureRefused("The public key is none of Ed25519.") from error


def _registry() -> JWSRegistry:
    registry = JWSRegistry(algorithms=[ALGORITHM])
    registry.max_payload_length = MAX_STATEMENT * 4 // 3 + 4  # it counts Base64
    return registry
