"""What is encoded by hand is what Avro's specification says, and equal records are kept in bounds.

``test_wire.py`` compares every kind of record with another implementation.
"""

from io import BytesIO
from typing import Any

import pytest
from fastavro import schemaless_reader
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.codec.encoding import (
    LARGEST_EQUAL,
    MOST_EQUAL,
    EncodeOnce,
    encode_long,
    encode_string,
    encoder,
)
from schemas.codec.versions import newest
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver


def read(data: bytes, schema: Any) -> Any:
    stream = BytesIO(data)
    found = schemaless_reader(stream, schema, None)
    assert stream.read() == b""
    return found


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
@example(-(2**63))
@example(2**63 - 1)
@example(63)
@example(64)
@example(-64)
@example(-65)
def test_a_number_of_64_bits_is_read_as_it_was(number: int) -> None:
    assert read(encode_long(number), "long") == number


@given(st.integers(min_value=2**63) | st.integers(max_value=-(2**63) - 1))
def test_a_number_of_more_bits_is_refused(number: int) -> None:
    with pytest.raises(OverflowError, match="more than 64 bits"):
        encode_long(number)


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode_string("\ud800")


def test_equal_records_are_encoded_once() -> None:
    encoded: list[Options] = []

    def encode(record: Options) -> bytes:
        encoded.append(record)
        return b"options"

    once = EncodeOnce(encode)
    assert once(Options(interval=60)) == once(Options(interval=60)) == b"options"
    once(Options(interval=61))
    assert [each.interval for each in encoded] == [60, 61]


def test_as_many_equal_records_are_known_as_there_is_room_for() -> None:
    once = EncodeOnce(encode_long)
    sizes = set()
    for number in range(3 * MOST_EQUAL):
        assert once(number) == encode_long(number)
        sizes.add(len(once))
    assert max(sizes) == MOST_EQUAL


def test_a_large_record_is_not_kept() -> None:
    once = EncodeOnce(encode_string)
    once("x" * LARGEST_EQUAL)
    assert len(once) == 0


def test_options_that_differ_are_encoded_as_they_are() -> None:
    schema = newest(Subscribe)
    encode = encoder(schema.source)
    intervals = [60, 61, 60]
    requests = [_request(Options(interval=each)) for each in intervals]
    read_back = [read(encode(each), schema.parsed) for each in requests]
    assert [each["options"]["interval"] for each in read_back] == intervals


def _request(options: Options) -> Subscribe:
    return Subscribe("https://example.org/", Receiver(), keywords=("argus",), options=options)
