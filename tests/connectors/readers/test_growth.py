"""Our own part of a reader takes time that grows no faster than the page."""

from functools import partial

import pytest

from connectors.processes.documents import DocumentProcesses
from connectors.readers import Unreadable
from connectors.readers.layout import laid_out
from connectors.readers.reading import read_with_plugins
from connectors.readers.visible import MARKS
from schemas.records.views import View
from streams.effects.fetch import PRELOADED
from tests.fakes.works import nothing

NOWHERE = "nowhere"
SIZE = 500_000
"""Bytes. What took the square of 200 KB, 5 s and more, would take half a minute."""
SECONDS = 15.0


@pytest.mark.parametrize("kind", ["text/xml", "text/csv", "application/json", "text/plain"])
async def test_a_page_of_one_piece_again_and_again_is_read_in_time(kind: str) -> None:
    async with DocumentProcesses(1, SECONDS, PRELOADED, nothing) as processes:
        for piece in (b" ", b"\n", b"<?xml ", b"<?xml version='1.0' ", b"&a", b'"'):
            read = partial(read_with_plugins, NOWHERE, piece * (SIZE // len(piece)), kind, [View()])
            try:
                await processes.call(read, ())
            except Unreadable as error:
                assert str(error)  # noqa: PT017 - what matters is that the reader came to an end


@pytest.mark.parametrize("names", ["li p", "h1 div", "pre", "article h2", "table tr td li h3"])
async def test_elements_in_elements_without_end_are_laid_out_in_time(names: str) -> None:
    marks = [MARKS[name] for name in names.split()]
    opened = "".join(f"{before}a" for before, _ in marks)
    closed = "".join(after for _, after in reversed(marks))
    times = SIZE // len(opened)
    async with DocumentProcesses(1, SECONDS, PRELOADED, nothing) as processes:
        page, _ = await processes.call(laid_out, (opened * times + closed * times,))
    assert page.text.count("a") == len(marks) * times
