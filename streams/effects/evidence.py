"""The sources of evidence."""

from connectors.api.history.evidence import EvidenceSource
from connectors.evidence_key import EvidenceKey
from connectors.stores.opening import Store
from streams.effects.clock import now


def evidence_source(store: Store, key: EvidenceKey) -> EvidenceSource:
    """Return the source of evidence in a store, signed with a key."""
    return EvidenceSource(store.subscriptions, store.facts, store.texts, key, now)
