"""A batch that aiokafka cannot read holds nothing up, and what is in it is not lost in silence."""

from typing import Any

import cramjam
import pytest
from aiokafka import TopicPartition
from aiokafka.consumer import fetcher
from aiokafka.record.memory_records import MemoryRecords
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka_patches.batches import ReadableBatches, UnreadableBatch, read_every_batch
from connectors.kafka_patches.uncompressed import MAX_BYTES
from tests.harness.batches import (
    CHECKED,
    CODECS,
    TIME,
    Content,
    batch_of,
    sealed,
    with_codec,
    with_header_name_not_utf8,
)

AFTER: Content = (b"after", b"it", ())
UNKNOWN_CODEC = 6


def read(data: bytes, start: int = 0, records: Any = ReadableBatches) -> list[Any]:
    """Read what a broker answered, as aiokafka's fetcher does."""
    place = TopicPartition("x.in", 0)
    return list(fetcher.PartitionRecords(place, records(data), [], start, None, None, True, 0))


def test_consumers_of_a_process_read_with_these_batches_once_they_are_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetcher, "MemoryRecords", fetcher.MemoryRecords)
    read_every_batch()
    assert fetcher.MemoryRecords is ReadableBatches


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_that_kafka_has_is_read(codec: str) -> None:
    content: Content = (b"key", b"argus" * 20_000, [("name", b"value"), ("none", None)])
    found = read(batch_of(content, AFTER, codec=codec, first=5), start=5)
    assert [(m.key, m.value, m.headers) for m in found] == [
        (b"key", b"argus" * 20_000, (("name", b"value"), ("none", None))),
        (b"after", b"it", ()),
    ]
    assert [m.offset for m in found] == [5, 6]


def test_a_header_name_that_is_not_utf8_is_escaped_and_the_message_is_read() -> None:
    batch = with_header_name_not_utf8(b"key", b"value")
    with pytest.raises(UnicodeDecodeError):
        read(batch, records=_aiokafkas)
    first, after = read(batch + batch_of(AFTER, first=1))
    assert (first.key, first.value, first.offset, first.timestamp) == (b"key", b"value", 0, TIME)
    assert first.headers == ((r"\xffname", b"1"), ("last", None))
    assert (after.key, after.offset) == (b"after", 1)


@given(
    st.lists(
        st.tuples(
            st.none() | st.binary(),
            st.none() | st.binary(),
            st.lists(st.tuples(st.text(), st.none() | st.binary())),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_lenient_reader_reads_what_aiokafka_reads(messages: list[Content]) -> None:
    bad: Content = (None, None, [("~name", b"")])
    batch = batch_of(*messages, bad)
    place = batch.rindex(b"~name")
    lenient = read(sealed(batch[:place] + b"\xff" + batch[place + 1 :]))
    strict = read(batch, records=_aiokafkas)
    assert lenient[:-1] == strict[:-1]
    assert lenient[-1].headers == ((r"\xffname", b""),)


UNREADABLE = {
    "an unknown codec": with_codec(batch_of(AFTER, AFTER, first=10), UNKNOWN_CODEC),
    "bytes that are no zstd": with_codec(batch_of(AFTER, AFTER, first=10), CODECS["zstd"]),
    "bytes that are no snappy": with_codec(batch_of(AFTER, AFTER, first=10), CODECS["snappy"]),
    "more messages than there are": sealed(
        batch_of(AFTER, AFTER, first=10)[:57] + b"\x00\x00\x00\x09" + batch_of(AFTER, AFTER)[61:]
    ),
}


@pytest.mark.parametrize("batch", UNREADABLE.values(), ids=UNREADABLE)
def test_a_batch_that_cannot_be_read_is_one_message_that_says_why(batch: bytes) -> None:
    found, after = read(batch + batch_of(AFTER, first=12), start=10)
    assert isinstance(found.value, UnreadableBatch)
    assert found.value == batch
    assert found.offset == 11, "the last one, so that nothing before it is missing"
    assert "offsets 10 to 11" in found.value.reason
    assert (after.key, after.offset) == (b"after", 12)


@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd", "snappy"])
def test_a_batch_that_grows_beyond_the_limit_is_not_uncompressed(codec: str) -> None:
    compressor = getattr(cramjam, codec)
    compress = compressor.compress_raw if codec == "snappy" else compressor.compress
    data = bytes(compress(bytes(MAX_BYTES + 1)))
    header = with_codec(batch_of(AFTER), CODECS[codec])[:61]
    length = (len(header) - 12 + len(data)).to_bytes(4, "big")
    batch = sealed(header[:8] + length + header[12:] + data)
    (found,) = read(batch)
    assert isinstance(found.value, UnreadableBatch)


def test_a_part_of_a_batch_that_did_not_fit_is_left_for_the_next_fetch() -> None:
    whole, cut = batch_of(AFTER), batch_of(AFTER, first=1)[:-3]
    assert [m.offset for m in read(whole + cut)] == [0]
    assert not ReadableBatches(cut).has_next()
    assert ReadableBatches(cut).size_in_bytes() == len(cut)


def test_a_batch_with_a_wrong_checksum_is_refused_as_before() -> None:
    batch = bytearray(batch_of(AFTER))
    batch[CHECKED + 40] ^= 1
    with pytest.raises(fetcher.Errors.CorruptRecordException):
        read(bytes(batch))


def _aiokafkas(data: bytes) -> Any:
    return MemoryRecords(data)
