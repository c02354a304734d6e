"""A process does not keep what it has freed."""

import asyncio
import os

import pytest

from connectors.processes.malloc_trim import _malloc_trim, returning_free_memory
from tests.harness.family import PROC
from tests.harness.waiting import eventually

PAGE, PAGES = 60_000, 1_000
"""Bytes: glibc takes a block of this size from its heap."""


def resident() -> int:
    return int((PROC / "self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(_malloc_trim() is None, reason="another C library")
async def test_memory_that_many_pages_took_is_returned_though_some_are_kept() -> None:
    pages = [os.urandom(1) * PAGE for _ in range(PAGES)]
    kept = pages[::50]
    full = resident()
    del pages

    async def returned() -> bool:
        return resident() < full - PAGE * PAGES // 2

    assert not await returned(), "glibc itself returns only the end of its heap"
    returning = asyncio.create_task(returning_free_memory(0.01))
    await eventually(returned, "most of it is returned")
    returning.cancel()
    assert len(kept) == PAGES / 50
