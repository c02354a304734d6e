"""A key goes to the partition that Kafka's other clients compute for it."""

from aiokafka.partitioner import DefaultPartitioner
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.records.urls import MAX_URL
from streams.engine.acks.producer import partition_of_key
from streams.values.partitions import _hash, partition_of, partition_of_bytes


@given(st.binary(max_size=40), st.integers(1, 100))
@example(b"", 8)
@example(b"x" * (MAX_URL + 1), 8)
def test_a_key_has_the_partition_that_aiokafka_computes(key: bytes, count: int) -> None:
    every = list(range(count))
    expected = DefaultPartitioner()(key, every, every)
    assert partition_of_key(key, every, every) == partition_of_bytes(key, count) == expected


@given(st.text(max_size=40))
def test_a_text_and_its_bytes_have_the_same_partition(key: str) -> None:
    assert partition_of(key, 8) == partition_of_bytes(key.encode(), 8)


def test_without_a_key_an_available_partition_is_chosen() -> None:
    assert partition_of_key(None, [0, 1, 2], [1]) == 1


def test_no_more_hashes_are_cached_than_there_is_room_for_and_none_of_a_long_key() -> None:
    _hash.cache_clear()
    partition_of_bytes(b"x" * (MAX_URL + 1), 8)
    for number in range(3_000):
        partition_of(f"https://example.org/{number}", 8)
    info = _hash.cache_info()
    assert info.misses == 3_000
    assert info.currsize == info.maxsize == 1024
