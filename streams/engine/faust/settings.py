"""Faust's settings for a worker."""

from pathlib import Path
from typing import Any

from faust.auth import Credentials, SASLCredentials, SSLCredentials

from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from streams.engine.faust.state import PatchedTable

COMMIT_INTERVAL_S = 1.0
METADATA_AGE_S = 10.0


def faust_settings(
    access: Access, partitions: int, state: Path, member: str, session_timeout_s: float
) -> dict[str, Any]:
    """Return those of Faust's settings that differ from its defaults.

    ``state`` is the folder of the local copies; ``member`` the static id in the group.
    """
    return {
        "broker": [f"kafka://{server}" for server in access.bootstrap.split(",")],
        "broker_credentials": _credentials(access),
        "store": "rocksdb://",
        "datadir": str(state),
        "topic_partitions": partitions,
        # Topics exist before a worker starts; Faust must create none.
        "topic_allow_declare": False,
        "table_standby_replicas": 0,
        # There are no Faust streams to wait for, and recovery is to start at once.
        "stream_wait_empty": False,
        "stream_recovery_delay": 0.0,
        # What was acknowledged but not committed is repeated after a crash.
        "broker_commit_interval": COMMIT_INTERVAL_S,
        # Static membership: a worker that is back within the session keeps its partitions.
        "consumer_group_instance_id": member,
        "broker_session_timeout": session_timeout_s,
        "consumer_auto_offset_reset": "earliest",
        # A topic that a rebalance did not find, for it was being created again, is in the next
        # one; the default is five minutes.
        "consumer_metadata_max_age_ms": int(METADATA_AGE_S * 1000),
        "consumer_max_fetch_size": MAX_MESSAGE_BYTES,
        "Table": PatchedTable,
    }


def _credentials(access: Access) -> Credentials | None:
    """Translate the access for Faust's own consumer."""
    if access.uses_sasl:
        return SASLCredentials(
            username=access.user,
            password=access.password,
            ssl_context=access.ssl_context,
            mechanism=access.mechanism,
        )
    return SSLCredentials(access.ssl_context) if access.ssl_context else None
