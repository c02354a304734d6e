"""The files of other tools: jobs and defaults in YAML, and watches of changedetection.io."""

import json
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

import yaml

from connectors.imports.draft import UnreadableImport, shown

MAX_BYTES = 5_000_000
MAX_JOBS = 10_000
MAX_CHARACTERS = 10_000_000
"""The most characters of all values, with the repetitions of aliases."""
MAX_DEPTH = 50

MAX_FILE = 100_000_000
"""Bytes of a file: a backup has the history of each watch."""
MAX_JSON = 10_000_000
"""Bytes of a JSON file: no more than changedetection.io writes."""
MAX_ALL = 100_000_000
"""Bytes of all JSON files of a backup."""
MAX_WATCHES = 10_000
_DAMAGED = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,  # a name is no UTF-8, or a member begins before the file
    zlib.error,
    lzma.LZMAError,
)
_LONG_NUMBER = re.compile(r"[-+]?[0-9][0-9a-fA-F_x:]{3000,}")
"""More digits than Python writes, sexagesimal ones too."""
_SETTINGS = ("changedetection.json", "url-watches.json")


@dataclass(slots=True)
class Backup:
    """The contents of a file: watches and tags by their ids, and settings for all."""

    watches: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, dict[str, Any]] = field(default_factory=dict)
    application: dict[str, Any] = field(default_factory=dict)
    requests: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, Any] = field(default_factory=dict)


def read_jobs(data: bytes, config: bytes | None = None) -> list[dict[str, Any]]:
    """Return the jobs of a file, each with the defaults of a configuration file.

    Raises UnreadableImport if any of them is not YAML, or too large.
    """
    documents = [each for each in _documents(data, "jobs") if each is not None]
    jobs = [job for each in documents for job in (each if isinstance(each, list) else [each])]
    if len(jobs) > MAX_JOBS:
        raise UnreadableImport(f"the file has {len(jobs)} jobs; at most {MAX_JOBS} are imported")
    for number, job in enumerate(jobs, 1):
        if not isinstance(job, dict):
            raise UnreadableImport(f"job {number} is no mapping but {shown(job)}")
    defaults = _defaults(config)
    found = []
    for job in jobs:
        kind = "browser" if "navigate" in job or job.get("use_browser") else "url"
        found.append({**defaults.get("all", {}), **defaults.get(kind, {}), **job})
    return found


def _defaults(config: bytes | None) -> dict[str, Any]:
    if config is None:
        return {}
    for document in _documents(config, "configuration"):
        found = document.get("job_defaults") if isinstance(document, dict) else None
        if isinstance(found, dict):
            return {kind: each for kind, each in found.items() if isinstance(each, dict)}
    raise UnreadableImport("the configuration file has no job_defaults")


def _documents(data: bytes, what: str) -> list[Any]:
    if len(data) > MAX_BYTES:
        raise UnreadableImport(f"the {what} file has more than {MAX_BYTES:,} bytes")
    try:
        _check_size(data)
        return list(yaml.load_all(data, yaml.CSafeLoader))
    except UnreadableImport:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableImport(f"the {what} file is no YAML: {shown(error)}") from error


def _check_size(data: bytes) -> None:
    """Refuse too large YAML, before anything is built.

    An alias repeats a part of the file, so few bytes may stand for very many.
    """
    sizes: dict[str | None, int] = {}
    nested = [("", 0)]
    for event in yaml.parse(data, yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            nested.append((event.anchor or "", 1))
        else:
            anchor, size = _size(event, sizes)
            if isinstance(event, yaml.CollectionEndEvent):
                anchor, size = nested.pop()
            sizes[anchor] = size
            nested[-1] = (nested[-1][0], nested[-1][1] + size)
        if len(nested) > MAX_DEPTH or nested[-1][1] > MAX_CHARACTERS:
            raise UnreadableImport("the file nests or repeats its parts too often")


def _size(event: Any, sizes: dict[str | None, int]) -> tuple[str, int]:
    if isinstance(event, yaml.ScalarEvent):
        if event.implicit[0] and _LONG_NUMBER.fullmatch(event.value):
            raise UnreadableImport("the file has a number of more than 3,000 digits")
        return event.anchor or "", 1 + len(event.value)
    if not isinstance(event, yaml.AliasEvent):
        return "", 0
    if event.anchor not in sizes:
        raise UnreadableImport(f"the alias {shown(event.anchor)} is a part of what it names")
    return "", sizes[event.anchor]


def read_backup(data: bytes) -> Backup:
    """Read a backup, ``url-watches.json`` or a ``watch.json``.

    Raises UnreadableImport for any other file, or if too large.
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
    for name, content in _unpacked(data):
        left -= len(content)
        if len(content) > MAX_JSON or left < 0:
            raise UnreadableImport(f"{name} is too large when unpacked")
        yield name, _json(name, content)


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with ZipFile(BytesIO(data)) as archive:
            for entry in archive.infolist():
                if entry.filename.rpartition("/")[2] not in {*_SETTINGS, "watch.json", "tag.json"}:
                    continue
                with archive.open(entry) as stream:
                    content = stream.read(MAX_JSON + 1)  # what it says of its size may be a lie
                yield entry.filename, content
    except _DAMAGED as error:
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
