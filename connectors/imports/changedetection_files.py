"""The files of changedetection.io: a backup, or the one file of versions before 0.53."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from connectors.imports.draft import UnreadableImport

MAX_FILE = 100_000_000
"""Bytes of a file: a backup has the history of each watch in it."""
MAX_JSON = 10_000_000
"""Bytes of one JSON file: no more than changedetection.io writes."""
MAX_ALL = 100_000_000
"""Bytes of all JSON files of a backup that are read."""
MAX_WATCHES = 10_000
_SETTINGS = ("changedetection.json", "url-watches.json")


@dataclass(slots=True)
class Backup:
    """What a file has: watches and tags by their ids, and settings for all."""

    watches: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, dict[str, Any]] = field(default_factory=dict)
    application: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, Any] = field(default_factory=dict)


def read_backup(data: bytes) -> Backup:
    """Read a backup, ``url-watches.json`` or one ``watch.json``.

    Raises UnreadableImport if it is none of these, or too large.
    """
    if len(data) > MAX_FILE:
        raise UnreadableImport(f"the file has more than {MAX_FILE:,} bytes")
    found = Backup()
    if data.startswith(b"PK"):
        for name, value in _json_files(data):
            _add(found, name, value)
    else:
        _add(found, "", _json("the file", data))
    if len(found.watches) > MAX_WATCHES:
        raise UnreadableImport(
            f"the file has {len(found.watches)} watches; at most {MAX_WATCHES} are imported"
        )
    return found


def _add(found: Backup, name: str, value: dict[str, Any]) -> None:
    folder, _, file = name.rpartition("/")
    if file == "tag.json":
        found.tags[folder] = value
    elif file == "watch.json" or "url" in value:
        found.watches[folder or str(value.get("uuid", ""))] = value
    else:
        settings = _mapping(value, "settings")
        found.application = _mapping(settings, "application")
        found.requests = _mapping(settings, "requests")
        found.headers = _mapping(settings, "headers")
        found.tags |= _mappings(found.application, "tags")
        found.watches |= _mappings(value, "watching")


def _json_files(data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    left = MAX_ALL
    try:
        with ZipFile(BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.filename.rpartition("/")[2] not in {*_SETTINGS, "watch.json", "tag.json"}:
                    continue
                with archive.open(entry) as stream:
                    content = stream.read(MAX_JSON + 1)  # what it says of its size may be a lie
                left -= len(content)
                if len(content) > MAX_JSON or left < 0:
                    raise UnreadableImport(f"{entry.filename} is too large when unpacked")
                yield entry.filename, _json(entry.filename, content)
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise UnreadableImport(f"the file is no backup that can be unpacked: {error}") from error


def _json(name: str, data: bytes) -> dict[str, Any]:
    if len(data) > MAX_JSON:
        raise UnreadableImport(f"{name} has more than {MAX_JSON:,} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableImport(f"{name} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnreadableImport(f"{name} is no JSON object")
    return value


def _mapping(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _mappings(value: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    return {key: each for key, each in _mapping(value, name).items() if isinstance(each, dict)}
