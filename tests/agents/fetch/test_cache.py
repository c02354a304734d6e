"""What a fetch worker caches of its documents."""

import tracemalloc
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.cache import CachedState, DocumentCache
from streams.values.ids import content_id

MANY = 10_000
EACH = 190
"""Bytes: a hash of the address, a watch of 32 and an ETag, with what Python adds to them."""
URL = "http://127.0.0.1:40000/page/10000"

texts = st.none() | st.text()
times = st.integers(0, 2**63)
knowns = st.builds(
    CachedState, st.text(), st.text(), times, times, texts, texts, st.none() | st.binary(),
    failures=st.integers(0, 1), not_before=times, is_held=st.booleans(),
    published_at=st.just(0) | times, reader=st.text(), changes=st.just(0.0) | st.floats(0, 10),
    seconds=st.just(0.0) | st.floats(0, 10), prior=st.just(0.5) | st.floats(0, 1),
)  # fmt: skip


@given(known=st.lists(knowns, max_size=3).map(tuple))
def test_what_is_cached_is_found_unchanged(known: tuple[CachedState, ...]) -> None:
    cache = DocumentCache()
    cache.put(URL, known)
    assert cache.get(URL) == known
    assert len(cache) == 1


@given(known=st.lists(knowns, max_size=3).map(tuple))
def test_what_is_removed_from_the_cache_is_gone(known: tuple[CachedState, ...]) -> None:
    cache = DocumentCache()
    cache.put(URL, known)
    cache.put(URL, None)
    assert cache.get(URL) is None
    assert len(cache) == 0


@given(numbers=st.lists(st.tuples(st.integers(0, 9), st.none() | knowns), max_size=40))
def test_documents_that_share_a_bucket_do_not_mix(
    numbers: list[tuple[int, CachedState | None]],
) -> None:
    with patch("streams.agents.fetch.cache._BUCKETS", 2):
        cache, expected = DocumentCache(), dict[str, tuple[CachedState, ...]]()
        for number, known in numbers:
            url = f"http://127.0.0.1/{number}"
            expected.pop(url, None)
            if known is not None:
                expected[url] = (known,)
            cache.put(url, expected.get(url))
        assert len(cache) == len(expected)
        for number in range(10):
            url = f"http://127.0.0.1/{number}"
            assert cache.get(url) == expected.get(url)


def test_a_document_takes_little_memory() -> None:
    cache = DocumentCache()
    tracemalloc.start()
    for number in range(MANY):
        etag, body_hash = f'"{number}-1"', number.to_bytes(16, "big")
        known = CachedState("", content_id(number), number, number, etag, None, body_hash)
        cache.put(f"http://127.0.0.1:40000/page/{number + MANY}", [known])
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < MANY * EACH
