"""What an issuer says of itself, as OpenID Connect Discovery 1.0 describes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from connectors.openid.errors import IssuerUnavailable
from connectors.openid.fetching import is_safe

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
              "Ed25519", "EdDSA")  # fmt: skip
"""Signatures with a public key: with a shared one, or none, anybody could sign."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses of an issuer, and how it signs."""

    issuer: str
    authorization: str
    token: str
    keys: str
    algorithms: tuple[str, ...]
    takes_basic: bool


def read_endpoints(found: Mapping[str, Any], issuer: str) -> Endpoints:
    """Read an issuer's description; raises IssuerUnavailable."""
    if str(found.get("issuer")).rstrip("/") != issuer.rstrip("/"):
        raise IssuerUnavailable(f"{issuer} says that it is {found.get('issuer')!r}.")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    for name in names:
        if not is_safe(found.get(name)):
            raise IssuerUnavailable(f"{issuer} has no {name} with https: {found.get(name)!r}.")
    signs = found.get("id_token_signing_alg_values_supported") or ["RS256"]
    takes = found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    algorithms = tuple(each for each in ALGORITHMS if each in signs)
    if not algorithms:
        raise IssuerUnavailable(f"{issuer} signs with none of {', '.join(ALGORITHMS)}.")
    authorization, token, keys = (found[name] for name in names)
    is_basic = "client_secret_basic" in takes
    return Endpoints(found["issuer"], authorization, token, keys, algorithms, is_basic)
