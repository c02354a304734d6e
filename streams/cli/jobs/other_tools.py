"""``vokter import --from``: watches of another tool as subscriptions of this deployment."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from connectors.imports.draft import ImportedWatch
from connectors.imports.names import Tool
from connectors.imports.tools import read_watches
from schemas.codec.json_requests import present_json
from schemas.records.subscriptions import Receiver
from schemas.records.urls import canonical
from streams.cli.jobs.transfer import Import
from streams.cli.output import print_json

MAX_READ = 100_000_001
"""Bytes that are read of a file: one more than any may have."""
PLACEHOLDER = "{watch}"


@dataclass(frozen=True, slots=True)
class AskedWatch:
    """A watch with the request for it, None if it cannot be asked for."""

    watch: ImportedWatch
    request: dict[str, Any] | None

    @property
    def named(self) -> dict[str, Any]:
        """The watch's id and name in its tool, as a result has them."""
        return {"watch": self.watch.key, "name": self.watch.name}

    @property
    def remarks(self) -> dict[str, Any]:
        """Return what became of the watch's parts, by the names of a result."""
        watch = self.watch
        return {"took": watch.took, "differs": watch.differs, "left": watch.left}


def asked_watches(
    tool: Tool, file: BinaryIO, config: BinaryIO | None, receiver: Receiver, interval: int
) -> list[AskedWatch]:
    """Read a file, and ask for each watch with a receiver; raises UnreadableImport.

    ``interval`` (seconds) is for watches that say none.
    """
    defaults = None if config is None else config.read(MAX_READ)
    watches = read_watches(tool, file.read(MAX_READ), defaults)
    return [_asked(each, receiver, interval) for each in _distinct(watches, receiver)]


def print_watches(asked: Sequence[AskedWatch]) -> None:
    """Print what would be asked for."""
    for each in asked:
        print_json(
            {"watch": each.watch.key, "name": each.watch.name, "request": each.request}
            | each.remarks
        )


async def outcomes(asked: Sequence[AskedWatch], importing: Import) -> AsyncIterator[dict[str, Any]]:
    """Subscribe, and yield the result of each watch in order."""
    lines = [json.dumps(each.request).encode() for each in asked if each.request is not None]
    results = importing.all(lines)
    for each in asked:
        outcome = {"result": "left"} if each.request is None else await anext(results)
        outcome.pop("line", None)
        yield each.named | outcome | each.remarks


def _asked(watch: ImportedWatch, receiver: Receiver, interval: int) -> AskedWatch:
    if watch.request is None:
        return AskedWatch(watch, None)
    named = present_json(_receiver_for(watch, receiver))
    return AskedWatch(watch, {"interval": interval, **watch.request, **named})


def _receiver_for(watch: ImportedWatch, receiver: Receiver) -> Receiver:
    if receiver.client_url is None:
        return Receiver(session=str(receiver.session).replace(PLACEHOLDER, watch.key))
    return Receiver(receiver.client_url.replace(PLACEHOLDER, watch.key))


def _distinct(watches: Sequence[ImportedWatch], receiver: Receiver) -> list[ImportedWatch]:
    """Leave out watches that would be the same subscription as an earlier one."""
    known: dict[tuple[str | None, Receiver], str] = {}
    found: list[ImportedWatch] = []
    for each in watches:
        if each.request is not None:
            target = canonical(each.request["documentUrl"]), _receiver_for(each, receiver)
            first = known.setdefault(target, each.key)
            each = each if first == each.key else _left_out(each, first)  # noqa: PLW2901 - the same watch
        found.append(each)
    return found


def _left_out(watch: ImportedWatch, first: str) -> ImportedWatch:
    why = (
        f"the watch: a receiver has one subscription of a URL, and watch {first} has this URL; "
        f"write {PLACEHOLDER} in --to or --session to give each watch a receiver."
    )
    return replace(watch, request=None, left=(*watch.left, why))
