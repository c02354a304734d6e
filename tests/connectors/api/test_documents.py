"""What is asked of documents and their words again, the store is not asked again."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import access_middleware
from connectors.api.documents.cache import TTL_S, SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from connectors.stores.pages import ListingPage
from schemas.documents import Snapshot
from streams.wiring.api import WORDS
from tests.harness.web import served

PAGE = "https://example.org/giants"
SNAPSHOT = Snapshot(PAGE, 1, None, "text/html", "en")


class Store:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def documents(self, *_: Any) -> ListingPage[Any]:
        self.asked["documents"] += 1
        return ListingPage(((PAGE, SNAPSHOT),), None)

    async def snapshots(self, *_: Any) -> ListingPage[Any]:
        self.asked["snapshots"] += 1
        return ListingPage((SNAPSHOT,), None)

    async def snapshot(self, *_: Any) -> tuple[Snapshot, str]:
        self.asked["snapshot"] += 1
        return SNAPSHOT, "Greek giants"

    async def differences(self, *_: Any) -> tuple[Snapshot, tuple[()]]:
        self.asked["differences"] += 1
        return SNAPSHOT, ()


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (("/documents",), "documents"),
        (("/snapshots",), "snapshots"),
        (("/snapshot", "/words", "/words?limit=1", "/occurrences?word=giants"), "snapshot"),
        (("/differences",), "differences"),
    ],
)
async def test_the_store_is_asked_once_in_half_a_minute(
    paths: tuple[str, ...], asked: str, tmp_path: Path
) -> None:
    now, store = [0.0], Store()
    any_store: Any = store
    documents = DocumentHandlers(any_store, WORDS, SingleFlightCache(lambda: now[0]))
    guard = access_middleware(ApiKeys(tmp_path / "keys.json"), lambda: 0.0)

    async def answer(request: web.Request) -> web.StreamResponse:
        return await guard(request, getattr(documents, request.path.strip("/")))

    async with served(answer) as (api,), ClientSession() as http:

        async def call() -> None:
            for path in paths:
                async with http.get(api + path, params={"documentUrl": PAGE}) as response:
                    assert response.status == 200

        for _ in range(3):
            await call()
        assert store.asked == {asked: 1}
        now[0] = TTL_S
        await call()
        assert store.asked == {asked: 2}
