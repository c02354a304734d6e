"""The library works with any version of aiokafka, but is patched only where the patches fit."""

from typing import Any

import pytest
from aiokafka import __version__
from aiokafka.consumer import fetcher

from connectors.kafka import patching
from connectors.kafka_patches import long_fetches
from connectors.kafka_patches.batches import ReadableBatches

CONSUMER: Any = object()


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The consumers that were patched."""
    found = list[object]()
    monkeypatch.setattr(fetcher, "MemoryRecords", object)
    monkeypatch.setattr(long_fetches, "LongFetches", found.append)
    return found


def test_the_version_that_is_locked_is_patched(patched: list[object]) -> None:
    patching.patch_consumers()
    patching.patch_started(CONSUMER)
    assert __version__ == patching.PATCHED_VERSION
    assert fetcher.MemoryRecords is ReadableBatches
    assert patched == [CONSUMER]


def test_another_version_stays_as_it_is(
    patched: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patching, "__version__", "0.15.0")
    patching.patch_consumers()
    patching.patch_started(CONSUMER)
    assert fetcher.MemoryRecords is object
    assert patched == []
