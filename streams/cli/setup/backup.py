"""``vokter backup`` and ``vokter restore``: a deployment of a machine as a file.

Store and broker are copied at the same moment, in which nothing is committed and the broker stands
still: so no change is in only one of them, and a restored deployment goes on like after a crash at
this moment. Tables are left out; workers rebuild them from their changelogs.
"""

import asyncio
import io
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from connectors.signing_key import find_signing_key
from connectors.stores.sqlite.moment import copy_moment, moment, no_commits
from infra.broker import LocalBroker
from infra.broker_config import META
from infra.files import locked_folder, put_in_place, sync
from infra.still import StillFile, still_files
from streams.cli.output import say
from streams.cli.progress import progress
from streams.cli.setup.archive import InvalidArchive, archive_to, unpack
from streams.cli.setup.preparation import claim_signing_key, prepare_deployment, with_partitions
from streams.settings import Settings

NOTE, STORE, BROKER, BODIES = "backup.json", "vokter.db", "kafka", "bodies"
KEYS, SIGNING, PLUGINS = "api-keys.json", "signing-key", "plugins"
LINKS = "backup.part"


class NoBackup(Exception):
    """A backup cannot be made or restored; the text names the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class BackupNote:
    """The first file of a backup: its time and its content. ``bodies`` are included, or not."""

    at: str
    topic_prefix: str
    partitions: int
    bodies: bool


def back_up(settings: Settings, file: Path, passphrase: str | None) -> None:
    """Write a deployment, running or not, to a new file readable by its owner only.

    Raises:
        NoBackup: there is no deployment of one machine, or the file exists.
        StoreUnavailable, InfraError, InvalidSigningKey, OSError: the text says what to do.
    """
    store = _store(settings)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise NoBackup(f"{file} exists already: choose another name.") from None
    try:
        with ExitStack() as stack:
            out = stack.enter_context(os.fdopen(handle, "wb"))
            links = stack.enter_context(_links_folder(settings))
            with no_commits(store):
                now = stack.enter_context(moment(store))
                still = still_files(settings.local_broker, links)
            copy_moment(now, links / STORE)
            _write(out, settings, still, links / STORE, passphrase)
        sync(file)
    except BaseException:
        file.unlink()
        raise
    say(f"Saved {file.stat().st_size / 1e3:,.0f} kB to {file}.")


@contextmanager
def _links_folder(settings: Settings) -> Iterator[Path]:
    """Make the folder of links in the data folder, and remove the folder at the end.

    The folder of a killed backup goes first, for its links keep the space of segments deleted by
    the broker. Two backups follow each other.
    """
    links = settings.data_dir / LINKS
    with locked_folder(settings.local_broker):
        shutil.rmtree(links, ignore_errors=True)
        links.mkdir(mode=0o700)
        try:
            yield links
        finally:
            shutil.rmtree(links)


def _store(settings: Settings) -> Path:
    """Return the file of the store; refuse a store of several machines."""
    store = settings.store_file
    if settings.kafka is not None or store is None:
        raise NoBackup(
            "A backup is of one machine, with the broker of 'vokter up' and a SQLite store. For "
            "a cluster see docs/from-one-machine-to-many.md, Backup and restore. If VOKTER_KAFKA "
            "is the address that 'vokter up' has printed, unset it first."
        )
    for needed in (store, settings.local_broker / META):
        if not needed.exists():
            raise NoBackup(f"There is no deployment in {settings.data_dir}: {needed} is missing.")
    return store


def _write(
    out: BinaryIO,
    settings: Settings,
    still: list[StillFile],
    store: Path,
    passphrase: str | None,
) -> None:
    with (
        archive_to(out, passphrase) as members,
        progress("files", total=len(still)) as advance,
    ):
        at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        # Those in another object store stay there.
        url = settings.bodies or ""
        bodies = Path(url.removeprefix("file://")) if url.startswith("file://") else None
        note = BackupNote(at, settings.topic_prefix, settings.partitions, bodies is not None)
        _add_text(members, NOTE, json.dumps(asdict(note)).encode())
        if (key := find_signing_key(settings.signing_key, settings.signing_file)) is not None:
            _add_text(members, SIGNING, key)
        for each in still:
            _add_file(members, f"{BROKER}/{each.name}", each.link, each.size)
            advance(1)
        for name, path in ((STORE, store), *_others(settings, bodies)):
            with suppress(FileNotFoundError):
                _add_file(members, name, path)


def _others(settings: Settings, bodies: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the names and places of files which are written once, or replaced by others."""
    yield KEYS, settings.keys_file
    for room, folder in ((PLUGINS, settings.plugin_folder), (BODIES, bodies)):
        if folder is not None:
            for path in filter(Path.is_file, folder.rglob("*")):
                yield f"{room}/{path.relative_to(folder)}", path


def _add_file(members: tarfile.TarFile, name: str, path: Path, size: int | None = None) -> None:
    """Add a file, or its first ``size`` bytes; raises OSError."""
    with path.open("rb") as content:
        member = tarfile.TarInfo(name)
        member.size = os.fstat(content.fileno()).st_size if size is None else size
        members.addfile(member, content)


def _add_text(members: tarfile.TarFile, name: str, text: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(text)
    members.addfile(member, io.BytesIO(text))


async def restore(settings: Settings, file: Path, passphrase: str | None) -> None:
    """Unpack a backup into an empty data folder, and let the deployment there use its store.

    Raises:
        NoBackup: the folder is not empty.
        InvalidArchive, InfraError, OSError: the text says what to do.
    """
    folder = settings.data_dir
    if folder.exists() and any(folder.iterdir()):
        raise NoBackup(f"{folder} is not empty: choose another folder with --data-dir.")
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700, parents=True)
    try:
        await asyncio.to_thread(unpack, file, passphrase, draft)
        note = _note_in(draft, file)
    except BaseException:
        shutil.rmtree(draft)
        raise
    for secret in (draft / SIGNING, draft / KEYS, draft / STORE):
        if secret.exists():
            secret.chmod(0o600)
    if folder.exists():
        folder.rmdir()
    put_in_place(draft, folder)
    try:
        await _settle(settings, note)
    except BaseException:
        shutil.rmtree(folder)  # so that the same command can be repeated
        raise
    say(f"Restored the backup of {note.at}. Start it: vokter up --data-dir {folder}")
    say("The deployment that it is of must not run any more: both would notify.")
    for line in _needed(settings, note):
        say(f"  {line}")


def _note_in(folder: Path, file: Path) -> BackupNote:
    """Read the note of an unpacked file; raises InvalidArchive."""
    try:
        return msgspec.json.decode((folder / NOTE).read_bytes(), type=BackupNote)
    except (FileNotFoundError, msgspec.MsgspecError) as error:
        raise InvalidArchive(f"{file} has no valid {NOTE}: {error}") from error


async def _settle(settings: Settings, note: BackupNote) -> None:
    """Start the broker once: its topics are whole, and name the restored store from now on."""
    say("Starting the restored broker once ...")
    broker = LocalBroker(settings.local_broker, 0)
    await asyncio.to_thread(broker.start)
    try:
        found = {
            "kafka": broker.bootstrap,
            "kafka_security": "PLAINTEXT",
            "store": None,
            "signing_key": None,
            "topic_prefix": note.topic_prefix,
            "partitions": note.partitions,
        }
        settings = await with_partitions(settings.model_copy(update=found))
        await prepare_deployment(settings, replace=True)
        await claim_signing_key(settings)
    finally:
        await asyncio.to_thread(broker.stop)


def _needed(settings: Settings, note: BackupNote) -> Iterator[str]:
    """Name the settings of the restored deployment missing in its folder."""
    default = Settings.model_fields
    if note.topic_prefix != default["topic_prefix"].default:
        yield f"It needs VOKTER_TOPIC_PREFIX={note.topic_prefix}"
    if note.partitions != default["partitions"].default:
        yield f"It needs VOKTER_PARTITIONS={note.partitions}"
    if note.bodies:
        yield f"It needs VOKTER_BODIES=file://{settings.data_dir / BODIES}"
