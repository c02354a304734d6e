"""One contract, both stores."""

from collections.abc import AsyncIterator

import pytest_asyncio

from connectors.stores.opening import Store, open_store
from tests.harness.stores import Place


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url)
    yield store
    await store.close()
