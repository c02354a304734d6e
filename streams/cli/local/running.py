"""Where the running deployment is: settings, or what ``vokter up`` left in its data folder."""

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from zlib import crc32

from streams.settings import Settings

MAX_WORKERS = 1000


class NotRunning(Exception):
    """There is no broker to talk to; the text says what to do."""


class AlreadyRunning(Exception):
    """Another process uses this folder; the text says which and what to do."""


@dataclass(frozen=True, slots=True)
class Running:
    """What ``vokter up`` tells other commands, whose own settings may differ."""

    kafka: str
    port: int
    topic_prefix: str
    partitions: int
    min_interval: int

    def write(self, data_dir: Path) -> None:
        """Leave it in the data folder."""
        _file(data_dir).write_text(json.dumps(asdict(self)), "utf-8")


def forget(data_dir: Path) -> None:
    """Take back what was left in the data folder."""
    _file(data_dir).unlink(missing_ok=True)


def with_broker(settings: Settings) -> Settings:
    """Complete settings with the brokers of the deployment that runs; raises NotRunning."""
    if settings.kafka is not None:
        return settings
    try:
        values = json.loads(_file(settings.data_dir).read_text("utf-8"))
    except FileNotFoundError:
        raise NotRunning(
            f"No Kafka to talk to: set VOKTER_KAFKA=host:port, or start 'vokter up' "
            f"(nothing runs in {settings.data_dir})."
        ) from None
    return settings.model_copy(update=values)


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold a file of our own; raises AlreadyRunning where another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise AlreadyRunning(
                f"{what} runs already in {path.parent} (process {owner}). "
                "Stop it, or choose another folder with --data-dir."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def place(settings: Settings, stage: str) -> Iterator[tuple[Path, str]]:
    """Give a worker the first state folder that no other uses, and its member name."""
    home = settings.data_dir.absolute() / "state" / stage
    for number in range(1, MAX_WORKERS):
        folder = home / str(number)
        try:
            with locked(folder / "lock", f"A {stage} worker"):
                here = f"{socket.gethostname()}-{crc32(str(settings.data_dir).encode()):08x}"
                yield folder, f"{stage}-{here}-{number}"
                return
        except AlreadyRunning:
            continue
    raise AlreadyRunning(f"{MAX_WORKERS} {stage} workers run already in {home}.")


def _file(data_dir: Path) -> Path:
    return data_dir / "running.json"
