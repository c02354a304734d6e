"""Bodies and pictures in an object store; a row then has the name of each in its place.

An object is written before its row, under a new name. A sweep deletes the objects without a row:
replaced objects, and those of a lost write.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from connectors.stores.errors import StoreRefused, StoreUnavailable
from infra.files import sync
from schemas.records.documents import Document

if TYPE_CHECKING:
    from obstore.store import LocalStore, S3Store

MARK = b"\x00object "
"""The begin of an object's name in a row, and of no body (zstd) and no picture (JPEG)."""
YOUNG = timedelta(hours=1)
"""The age below which the row of an object may still be missing."""
_FIELDS = ("body", "picture", "earlier_picture")
_OWNER = "document"
"""The object of each folder with the URL and view id of the document, for the sweep."""
_SHARDS, _HOURS = 256, 24
_KNOWN_DOCUMENTS = 1_000

NamedIn = Callable[[str, str], Awaitable[set[bytes]]]
"""Loads the names of bodies and pictures in the rows of a document (URL, view id)."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The objects of a read document by their content's hash, and its version."""

    version: int
    names: dict[bytes, bytes]


@dataclass
class Objects:
    """The object store at ``location``, or none: then rows hold bodies and pictures themselves.

    Methods raise StoreUnavailable if the object store does not answer, or refuses.
    """

    location: str = ""
    outside: "LocalStore | S3Store | None" = None
    folder: Path | None = None
    """The folder of a store of files."""
    _loaded: OrderedDict[tuple[str, str], _Loaded] = field(default_factory=OrderedDict)

    @classmethod
    def open(cls, url: str | None) -> Self:
        """Use the object store at ``s3://BUCKET/PREFIX`` or ``file:///FOLDER``, if any.

        Region, endpoint and keys of S3 come from the variables ``AWS_…``. Raises StoreRefused
        for any other URL.
        """
        if not url:
            return cls()
        scheme, _, rest = url.partition("://")
        if scheme not in {"s3", "file"} or not rest.strip("/"):
            raise StoreRefused(
                "Refused: VOKTER_BODIES names no object store: "
                f"it is {url!r}, expected s3://BUCKET/PREFIX or file:///FOLDER"
            )
        try:
            from obstore import exceptions, store  # noqa: PLC0415 - an extra
        except ImportError:
            raise StoreRefused(
                "VOKTER_BODIES needs the library obstore: pip install 'vokter[objects]'"
            ) from None
        try:
            if scheme == "file":
                return cls(url, store.LocalStore(rest, mkdir=True), Path(rest))
            return cls(
                url,
                store.S3Store.from_url(
                    url,
                    client_options={"timeout": "10s", "connect_timeout": "5s", "allow_http": True},
                    retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=20)},
                ),
            )
        except (exceptions.BaseError, OSError, ValueError) as error:
            raise StoreRefused(f"Refused: VOKTER_BODIES {url}: {_first_line(error)}") from None

    async def put_out(self, document: Document, expected_version: int) -> Document:
        """Write a document's body and pictures, and return the document with their names.

        Objects of the version before are not written again.
        """
        if self.outside is None:
            return document
        loaded = self._loaded.get((document.url, document.view))
        known = loaded.names if loaded and loaded.version == expected_version else {}
        named: dict[str, Any] = {}
        new: dict[bytes, bytes] = {}
        for each in _FIELDS:
            content = getattr(document, each)
            if content is not None and not _is_name(content):
                name = known.get(sha256(content).digest())
                if name is None:
                    name = MARK + f"{_folder(document)}/{uuid4().hex}".encode()
                    new[name] = content
                named[each] = name
        if new:
            await self._write(document, new)
        return replace(document, **named)

    async def take_in(self, document: Document) -> Document:
        """Return a document with its pictures in place of their names; nobody reads its body."""
        values = (getattr(document, each) for each in _FIELDS)
        if self.outside is None and not any(_is_name(each) for each in values if each is not None):
            return document
        names = {
            each: name
            for each in ("picture", "earlier_picture")
            if (name := getattr(document, each)) is not None
        }
        pictures: dict[str, Any] = {each: await self.load(names[each]) for each in names}
        known = {
            sha256(content).digest(): names[each]
            for each, content in pictures.items()
            if content is not None and _is_name(names[each])
        }
        self._loaded.pop((document.url, document.view), None)
        self._loaded[document.url, document.view] = _Loaded(document.version, known)
        if len(self._loaded) > _KNOWN_DOCUMENTS:
            self._loaded.popitem(last=False)
        return replace(document, **pictures)

    async def load(self, kept: bytes | None) -> bytes | None:
        """Load the content or the object of a row; None for a missing object."""
        if kept is None or not _is_name(kept):
            return kept
        key = kept.removeprefix(MARK).decode()
        if self.outside is None:
            raise StoreUnavailable(f"a row names the object {key}; set VOKTER_BODIES to its store")
        try:
            found: bytes = await self._call(lambda outside: bytes(outside.get(key).bytes()))
        except FileNotFoundError:
            # Most commands open a store and name no object.
            import structlog  # noqa: PLC0415

            log = structlog.get_logger()
            log.warning("an object is missing", objects=self.location, key=key)
            return None
        return found

    async def sweep(self, named: NamedIn, now: datetime) -> int:
        """Delete the objects without a row, in a 24th of all; return their number.

        The hour chooses the part, so hourly calls sweep all within a day.
        """
        if self.outside is None:
            return 0
        hour = int(now.timestamp() // 3600) % _HOURS
        deleted = 0
        for shard in range(hour, _SHARDS, _HOURS):
            found = await self._call(partial(_listed, f"{shard:02x}"))
            for folder, entries in groupby(sorted(found), lambda each: each[0].rpartition("/")[0]):
                deleted += await self._sweep_document(folder, dict(entries), named, now - YOUNG)
        return deleted

    async def ping(self) -> None:
        """Write an object and delete the object."""

        def write(outside: "LocalStore | S3Store") -> None:
            key = f"ping-{uuid4().hex}"
            outside.put(key, b"Vokter")
            outside.delete(key)

        if self.outside is not None:
            await self._call(write)

    async def _write(self, document: Document, contents: dict[bytes, bytes]) -> None:
        owner = json.dumps([document.url, document.view]).encode()

        def write(outside: "LocalStore | S3Store") -> None:
            outside.put(f"{_folder(document)}/{_OWNER}", owner)
            for name, content in contents.items():
                key = name.removeprefix(MARK).decode()
                outside.put(key, content)
                if self.folder is not None:  # a row that is durable may name the object
                    sync(self.folder / key)

        await self._call(write)

    async def _sweep_document(
        self, folder: str, found: dict[str, datetime], named: NamedIn, before: datetime
    ) -> int:
        owner = f"{folder}/{_OWNER}"
        # The next object of the document brings a missing owner with it.
        if owner not in found:
            return 0
        content = await self._call(lambda outside: bytes(outside.get(owner).bytes()))
        names = await named(*json.loads(content))
        kept = {key for key in found if MARK + key.encode() in names} | {owner}
        old = [key for key, at in found.items() if key not in kept and at < before]
        if len(old) + 1 == len(found) and found[owner] < before:
            old.append(owner)
        if old:
            await self._call(lambda outside: outside.delete(old))
        return len(old)

    async def _call(self, work: Callable[[Any], Any]) -> Any:
        """Run in a thread: the library's coroutines can abort an ending process (0.12)."""
        from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

        try:
            return await asyncio.to_thread(work, self.outside)
        except FileNotFoundError:
            raise
        except (BaseError, OSError) as error:
            said = f"the objects at {self.location}: {_first_line(error)}"
            raise StoreUnavailable(said) from error


def _listed(prefix: str, outside: "LocalStore | S3Store") -> list[tuple[str, datetime]]:
    several = (each for part in outside.list(prefix) for each in part)
    return [(each["path"], each["last_modified"]) for each in several]


def _is_name(kept: bytes) -> bool:
    return kept.startswith(MARK)


def _folder(document: Document) -> str:
    """Name the folder of a document's objects: a shard, and a hash of its URL and view."""
    digest = sha256(json.dumps([document.url, document.view]).encode()).hexdigest()
    return f"{digest[:2]}/{digest[2:40]}"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
