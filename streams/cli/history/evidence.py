"""What ``vokter evidence …`` does with the store and the signing key."""

from typing import Any

from connectors.evidence_key import EvidenceKey
from connectors.signing_key import InvalidSigningKey
from streams.cli.setup.existing_store import check_store_exists
from streams.cli.setup.preparation import deployed_signing_key
from streams.effects.connections import opened_store
from streams.effects.evidence import evidence_source
from streams.settings import Settings


async def load_evidence(settings: Settings, manager: str, notification: str) -> dict[str, Any]:
    """Load the evidence of a notification; raises LookupError and errors of the store."""
    check_store_exists(settings)
    key = await load_key(settings)
    async with opened_store(settings) as store:
        build = await evidence_source(store, key).load(manager, notification)
    if build is None:
        raise LookupError(
            f"There is no notification {notification!r} of the manager {manager!r}, or it is not "
            "kept any more (VOKTER_RETENTION)."
        )
    return build()


async def load_key(settings: Settings) -> EvidenceKey:
    """Load the key that this deployment signs evidence with. Raises InvalidSigningKey."""
    key = await deployed_signing_key(settings)
    if key is None:
        raise InvalidSigningKey(
            "Evidence is signed with a key that follows from the deployment's signing key, and "
            "this machine does not have it: set VOKTER_SIGNING_KEY, or use GET /evidence/ID."
        )
    return EvidenceKey(key)
