"""Deliver POSTs without the store, which channels alone need."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from connectors.stores.errors import StoreRefused, StoreUnavailable
from streams.effects import deliver
from streams.engine.members import Tools
from streams.settings import Settings


class Store:
    """A store with the credentials of channels, which may be away."""

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        self.seen: list[str] = []

    @asynccontextmanager
    async def opened(self, _: Settings) -> AsyncIterator[Any]:
        if self.errors:
            raise self.errors.pop(0)
        self.seen.append("opened")
        yield SimpleNamespace(credentials=self)
        self.seen.append("closed")

    async def open(self, manager: str, name: str) -> str:
        return f"{name} of {manager}"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    made = Store()
    monkeypatch.setattr(deliver, "opened_store", made.opened)
    monkeypatch.setattr(deliver, "opened_vault", lambda _, credentials: credentials)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, kafka="localhost:1", signing_key="k" * 32)


async def test_deliver_starts_while_the_store_is_away(store: Store, settings: Settings) -> None:
    store.errors = [StoreUnavailable("it is locked")]

    async def publish(_: object) -> None:
        raise AssertionError

    async with deliver.build(settings, Tools(publish, 1, CollectorRegistry())) as agent:
        assert agent.sizes()["notifications"] == 0
    assert store.errors, "nobody has tried to open it"


@pytest.mark.parametrize("error", [StoreUnavailable("locked"), StoreRefused("too new")])
async def test_the_store_is_opened_once_with_the_first_message_that_can_be_sent(
    store: Store, settings: Settings, error: Exception
) -> None:
    store.errors = [error]
    async with deliver._lazy_vault(settings) as open_credentials:
        with pytest.raises(OSError, match=str(error)):  # so the message waits, and is retried
            await open_credentials("m", "team")
        opened: list[Any] = [await open_credentials("m", name) for name in ("team", "other")]
        assert (opened, store.seen) == (["team of m", "other of m"], ["opened"])
    assert store.seen == ["opened", "closed"]
