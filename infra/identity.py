"""The identity of a data folder's broker, kept between starts: ports and cluster id."""

import base64
import json
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from infra.broker_config import META
from infra.errors import InfraError
from infra.files import replace_text
from infra.ports import any_free, is_free

FILE = "broker.json"
NAME = "cluster.id"
"""The name of a cluster's id in Kafka's own file."""
KAFKA_DEFAULT = 9092


@dataclass(frozen=True, slots=True)
class Identity:
    """Two TCP ports, and the cluster id in Kafka's form (16 bytes, URL-safe base64)."""

    port: int
    controller_port: int
    cluster_id: str


def settle(folder: Path, wanted: int | None) -> Identity:
    """Return the folder's identity with free ports, and store the identity in the folder.

    Args:
        folder: the data folder.
        wanted: the port to listen on; None for the last one, else 9092, else any free one;
            0 for the last one, else any free one.

    Raises:
        InfraError: the wanted port is taken.
        OSError: the folder cannot be written; what it has is as it was.
    """
    last = _read(folder)
    port = _choose_port(last, wanted)
    controller = last.controller_port if last and is_free(last.controller_port) else any_free()
    if last:
        identity = replace(last, port=port, controller_port=controller)
    else:
        new = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        identity = Identity(port, controller, _formatted_for(folder) or new)
    replace_text(folder / FILE, json.dumps(asdict(identity)))
    return identity


def _choose_port(last: Identity | None, wanted: int | None) -> int:
    if wanted:
        if not is_free(wanted):
            raise InfraError(
                f"Port {wanted} on 127.0.0.1 is in use by another program. "
                f"Choose another port, or stop that program (find it with: lsof -i :{wanted})."
            )
        return wanted
    if last and is_free(last.port):
        return last.port
    return KAFKA_DEFAULT if wanted is None and is_free(KAFKA_DEFAULT) else any_free()


def _read(folder: Path) -> Identity | None:
    """Read the file; a missing or damaged file is written again."""
    try:
        return Identity(**json.loads((folder / FILE).read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _formatted_for(folder: Path) -> str | None:
    """Read the cluster id from Kafka's storage, if formatted."""
    try:
        lines = (folder / META).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return None
    found = (value for name, _, value in (line.partition("=") for line in lines) if name == NAME)
    return next(found, None)
