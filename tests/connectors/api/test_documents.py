"""Requests for documents and their words are answered from the cache when repeated."""

from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import access_middleware
from connectors.api.documents.cache import TTL_S, SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from streams.wiring.api import WORDS
from tests.fakes.texts import PAGE, OneText
from tests.harness.web import served


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (("/documents",), "documents"),
        (("/snapshots",), "snapshots"),
        (("/snapshot", "/words", "/words?limit=1", "/occurrences?word=giants"), "snapshot"),
        (("/differences",), "differences"),
    ],
)
async def test_the_store_is_queried_once_in_half_a_minute(
    paths: tuple[str, ...], asked: str, tmp_path: Path
) -> None:
    now, texts = [0.0], OneText()
    documents = DocumentHandlers(texts, WORDS, SingleFlightCache(lambda: now[0]))
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
        assert texts.asked == {asked: 1}
        now[0] = TTL_S
        await call()
        assert texts.asked == {asked: 2}
