"""Requests for documents and their words are answered from the cache when repeated."""

from pathlib import Path

import pytest
from aiohttp import ClientSession

from connectors.api.documents.cache import TTL_S, SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from streams.effects.api import WORDS
from tests.fakes.texts import PAGE, OneText
from tests.harness.api import serving_api

# The handlers that are never asked are mocks.
pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")


@pytest.mark.parametrize(
    ("paths", "asked"),
    [
        (("/documents",), "documents"),
        (("/snapshots",), "snapshots"),
        (("/snapshot", "/words", "/words?limit=1", "/occurrences?word=giants"), "snapshot"),
        (("/differences",), "differences"),
        (("/picture",), "picture"),
    ],
)
async def test_the_store_is_queried_once_in_half_a_minute(
    paths: tuple[str, ...], asked: str, tmp_path: Path
) -> None:
    now, texts = [0.0], OneText()
    documents = DocumentHandlers(texts, WORDS, SingleFlightCache(lambda: now[0]))
    serving = serving_api(tmp_path / "keys.json", documents=documents)
    async with serving as api, ClientSession() as http:

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
