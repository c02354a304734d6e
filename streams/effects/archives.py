"""Archives, read in the processes and by the readers of fetch."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from connectors.archives.warc import (
    ArchiveUnreadable,
    archived_response,
    scanned_part,
)
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers.reading import read_with_plugins
from schemas.records.answers import status_failure
from schemas.records.captures import Capture
from schemas.records.documents import Document
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import Read
from streams.agents.history.backtest_archives import ArchiveEffects
from streams.agents.history.reprocess_reading import state_after
from streams.effects.fetch import new_parsers
from streams.effects.stemmers import stemmer_language
from streams.settings import Settings


@asynccontextmanager
async def opened_archives(settings: Settings) -> AsyncIterator[ArchiveEffects]:
    """Open the reader of archives, and close the reader at the end."""
    reader = partial(read_with_plugins, str(settings.plugin_folder))
    async with new_parsers(settings, 1) as processes:

        async def scan(
            file: str, offset: int, url: str
        ) -> tuple[Sequence[Capture], int | None, float]:
            try:
                part, seconds = await processes.call(scanned_part, (file, offset, url))
            except (TooHard, Interrupted) as error:
                raise ArchiveUnreadable(f"{file} after byte {offset}: {error}") from error
            return part.captures, part.next, seconds

        async def examined(capture: Capture, before: Document | None, due: DueView) -> Document:
            work = reader, capture, settings.max_document, before, due
            try:
                after, _ = await processes.call(_examined, work)
            except (TooHard, Interrupted) as error:
                raise ArchiveUnreadable(f"{capture.place}: {error}") from error
            return after

        yield ArchiveEffects(scan, examined, (ArchiveUnreadable,), stemmer_language(settings))


def _examined(
    reader: Read, capture: Capture, max_document: int, before: Document | None, due: DueView
) -> Document:
    """Read a capture like a fetched page; raises ArchiveUnreadable."""
    response, place = archived_response(capture, max_document), capture.place
    if reason := status_failure(response.status, due.view.on_status):
        raise ArchiveUnreadable(f"{place}: {reason}")
    after = state_after(reader, response, before, due)
    if isinstance(after, Exception):
        raise ArchiveUnreadable(f"{place}: {after}")
    return after
