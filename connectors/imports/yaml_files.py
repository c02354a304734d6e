"""The files of urlwatch and webchanges: jobs in YAML, and defaults in their configuration."""

from typing import Any

import yaml

from connectors.imports.draft import UnreadableImport, shown

MAX_BYTES = 5_000_000
MAX_JOBS = 10_000
MAX_CHARACTERS = 10_000_000
"""Of all values, with what aliases repeat."""
MAX_DEPTH = 50


def read_jobs(data: bytes, config: bytes | None = None) -> list[dict[str, Any]]:
    """Return the jobs of a file, each with the defaults of a configuration file.

    Raises UnreadableImport if one of them is no YAML, or too large.
    """
    documents = [each for each in _documents(data, "jobs") if each is not None]
    jobs = [job for each in documents for job in (each if isinstance(each, list) else [each])]
    if len(jobs) > MAX_JOBS:
        raise UnreadableImport(f"the file has {len(jobs)} jobs; at most {MAX_JOBS} are imported")
    for number, job in enumerate(jobs, 1):
        if not isinstance(job, dict):
            raise UnreadableImport(f"job {number} is no mapping but {shown(job)}")
    defaults = _defaults(config)
    return [_defaults_of(job, defaults) | job for job in jobs]


def _defaults(config: bytes | None) -> dict[str, Any]:
    if config is None:
        return {}
    for document in _documents(config, "configuration"):
        found = document.get("job_defaults") if isinstance(document, dict) else None
        if isinstance(found, dict):
            return {kind: each for kind, each in found.items() if isinstance(each, dict)}
    raise UnreadableImport("the configuration file has no job_defaults")


def _defaults_of(job: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    has_browser = "navigate" in job or job.get("use_browser")
    kind = "browser" if has_browser else "url"
    return {**defaults.get("all", {}), **defaults.get(kind, {})}


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
    """Refuse YAML that would be too large, before anything is built of it.

    An alias repeats a part of the file, so that few bytes may stand for very many.
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
        return event.anchor or "", 1 + len(event.value)
    if not isinstance(event, yaml.AliasEvent):
        return "", 0
    if event.anchor not in sizes:
        raise UnreadableImport(f"the alias {shown(event.anchor)} is a part of what it names")
    return "", sizes[event.anchor]
