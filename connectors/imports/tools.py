"""Watches of other tools, each as a request for its importable part."""

from connectors.imports.changedetection import take_watch
from connectors.imports.draft import ImportedWatch
from connectors.imports.files import read_backup, read_jobs
from connectors.imports.jobs import take_job
from connectors.imports.names import Tool


def read_watches(tool: Tool, data: bytes, config: bytes | None = None) -> list[ImportedWatch]:
    """Return the importable part of each watch in a tool's file.

    ``config`` is the configuration of urlwatch or webchanges, with its defaults of jobs. Raises
    UnreadableImport.

    Example:
        >>> watch, = read_watches("urlwatch", b"url: https://example.org/")
        >>> watch.request["documentUrl"]
        'https://example.org/'
    """
    if tool == "changedetection":
        backup = read_backup(data)
        return [take_watch(key, each, backup) for key, each in backup.watches.items()]
    return [take_job(number, job) for number, job in enumerate(read_jobs(data, config), 1)]
