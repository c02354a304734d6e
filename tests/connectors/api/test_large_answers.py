"""Answers of any size are rendered in threads, in pieces, by turns."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientError, ClientSession
from hypothesis import given
from hypothesis import strategies as st

from connectors.api.documents import words
from connectors.api.documents.cache import SingleFlightCache
from connectors.api.documents.handlers import DocumentHandlers
from connectors.serving import sending
from connectors.serving.sending import CHUNK, MAX_ANSWERS_PER_MANAGER, PIECE, json_pieces
from schemas.records.documents import Snapshot
from streams.effects.api import WORDS
from tests.fakes.texts import PAGE, SNAPSHOT, OneText
from tests.harness.api import serving_api

# The handlers that are never asked are mocks.
pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=9,
)


@given(JSON)
def test_the_pieces_are_the_json_of_the_whole(value: Any) -> None:
    assert json.loads("".join(json_pieces(value))) == value


@given(st.integers(PIECE - 2, PIECE + 2), st.text(st.characters(), min_size=4, max_size=4))
def test_a_text_is_the_same_wherever_it_is_cut(before: int, inner: str) -> None:
    text = "x" * before + inner + "y" * PIECE
    assert json.loads("".join(json_pieces({"text": text, "more": iter([text])}))) == {
        "text": text,
        "more": [text],
    }


def test_no_piece_is_larger_than_it_may_be() -> None:
    pieces = list(json_pieces({"text": "\U0001f600" * 1_000_000, "regions": iter([{"n": 1}] * 9)}))
    assert max(map(len, pieces)) <= PIECE * len(json.dumps("\U0001f600"))


class LargeTexts(OneText):
    """A TextReader of large texts, which says how many of them were in the making at most."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.at_once = self.most_at_once = 0

    async def snapshot(
        self, manager: str, url: str, at: int | None, subscription: str | None = None
    ) -> tuple[Snapshot, str] | None:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1
        return SNAPSHOT, self.text


def handlers(texts: OneText) -> DocumentHandlers:
    return DocumentHandlers(texts, WORDS, SingleFlightCache(lambda: 0.0))


async def test_sixty_snapshots_at_once_are_loaded_a_few_at_a_time_and_all_are_sent(
    tmp_path: Path,
) -> None:
    texts = LargeTexts("Greek giants \u00e4 " * 40_000)

    async def get(http: ClientSession, api: str, number: int) -> str:
        query = {"documentUrl": PAGE, "at": f"2026-01-31T{number // 60:02}:{number % 60:02}:00Z"}
        async with http.get(f"{api}/snapshot", params=query) as response:
            found: str = (await response.json())["text"]
            return found

    async with (
        serving_api(tmp_path / "keys", documents=handlers(texts)) as api,
        ClientSession() as http,
        asyncio.timeout(120),
    ):
        found = await asyncio.gather(*(get(http, api, number) for number in range(60)))
    assert set(found) == {texts.text}
    assert texts.most_at_once == MAX_ANSWERS_PER_MANAGER


async def test_a_large_answer_is_rendered_in_threads_not_on_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[int] = set()
    pieces = json_pieces

    def noting(value: Any) -> Iterator[str]:
        for piece in pieces(value):
            threads.add(threading.get_ident())
            yield piece

    monkeypatch.setattr(sending, "json_pieces", noting)
    texts = LargeTexts("x" * 3 * CHUNK)
    async with serving_api(tmp_path / "keys", documents=handlers(texts)) as api:
        url = f"{api}/snapshot?documentUrl={PAGE}"
        async with ClientSession() as http:
            async with http.get(url) as response:
                assert (await response.json())["text"] == texts.text
                assert response.headers["Transfer-Encoding"] == "chunked"
            async with http.head(url) as response:
                assert (response.status, await response.read()) == (200, b"")
    assert threads
    assert threading.get_ident() not in threads


async def test_a_client_that_reads_too_slowly_does_not_keep_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SEND_TIMEOUT_S", 0.2)
    monkeypatch.setattr(sending, "MAX_ANSWERS_PER_MANAGER", 1)
    texts = LargeTexts("x" * 20_000_000)
    async with serving_api(tmp_path / "keys", documents=handlers(texts)) as api:
        url = f"{api}/snapshot?documentUrl={PAGE}"
        async with ClientSession() as http, http.get(url) as slow:
            async with http.get(f"{api}/documents") as other:
                assert other.status == 200
            with pytest.raises(ClientError):
                await slow.read()


async def test_a_search_looks_at_so_many_words_and_then_says_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "MAX_SEARCHED", 10)
    texts = LargeTexts("so many words " * 8 + "giants")
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    looked = 0
    async with (
        serving_api(tmp_path / "keys", documents=handlers(texts)) as api,
        ClientSession() as http,
    ):
        while looked == 0 or cursor:
            query = {"documentUrl": PAGE, "word": "giants", **cursor}
            async with http.get(f"{api}/occurrences", params=query) as response:
                body = await response.json()
            looked += 1
            found += body["occurrences"]
            cursor = {"cursor": body["next"]} if body["next"] else {}
    assert [each["position"] for each in found] == [24]
    assert looked == 3
