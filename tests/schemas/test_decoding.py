"""What is decoded by functions that are written from schemas is what fastavro reads."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import pytest
from fastavro import schemaless_reader
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from schemas.codec.decoding import (
    LARGEST_KNOWN,
    MOST_KNOWN,
    DecodeOnce,
    decoder,
    read_rest,
)
from schemas.codec.encoding import encode_long, encode_string
from schemas.codec.versions import HEADER, KINDS, newest
from schemas.codec.wire import encode
from schemas.records.deliveries import Attempt
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from tests.fakes.records import wild
from tests.harness.examples import examples


@dataclass(frozen=True)
class Names:
    names: tuple[str, ...]


ANY_RECORD = st.sampled_from(KINDS).flatmap(wild)


@cache
def decoder_of(kind: Hashable) -> Callable[[bytes], Any]:
    return decoder(newest(kind).source, kind)  # type: ignore[arg-type]  # a record


def read_by_fastavro(data: bytes, kind: Any) -> Any:
    stream = BytesIO(data)
    values = schemaless_reader(stream, newest(kind).parsed, None)
    assert stream.read() == b""
    return convert(values, kind)


@examples(50)
@given(ANY_RECORD)
def test_a_record_of_any_kind_is_read_as_fastavro_reads_it(record: Any) -> None:
    kind: Any = type(record)
    data = encode(record)[HEADER:]
    assert decoder_of(kind)(data) == read_by_fastavro(data, kind) == record


@examples(50)
@given(ANY_RECORD, st.data())
def test_of_damaged_bytes_nothing_is_read_that_fastavro_does_not_read(
    record: Any, data: st.DataObject
) -> None:
    kind: Any = type(record)
    damaged = bytearray(encode(record)[HEADER:])
    at = data.draw(st.integers(0, len(damaged) - 1))
    damaged[at] = data.draw(st.integers(0, 255))
    try:
        found = decoder_of(kind)(bytes(damaged))
    except Exception:  # noqa: BLE001 - whatever damaged bytes make it raise
        return
    assert found == read_by_fastavro(bytes(damaged), kind)


def test_an_array_in_several_blocks_some_with_their_sizes_is_read() -> None:
    first = encode_long(2) + b"".join(map(encode_string, ("Io", "cow")))
    second = b"".join(map(encode_string, ("Argus", "hundred", "eyes")))
    data = first + encode_long(-3) + encode_long(len(second)) + second + b"\0"
    names = {"name": "names", "type": {"type": "array", "items": "string"}}
    schema = {"type": "record", "name": "Names", "namespace": "test", "fields": [names]}
    assert decoder(schema, Names)(data) == Names(("Io", "cow", "Argus", "hundred", "eyes"))


@pytest.mark.parametrize("more", [b"\0", b"\2"])
def test_bytes_left_over_are_refused(more: bytes) -> None:
    data = encode(Attempt("5eed", 1))[HEADER:]
    with pytest.raises(ValueError, match="left over"):
        decoder(newest(Attempt).source, Attempt)(data + more)


@given(st.integers(0, 2**63 - 1))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    data = encode_long(number)
    first = (data[0], 1) if data[0] < 128 else read_rest(data, 1, data[0])
    assert first == (2 * number, len(data))


@pytest.mark.parametrize("more", [b"\xff" * 8 + b"\2", b"\xff" * 50_000, b"\x80" * 50_000])
def test_a_number_of_more_than_64_bits_is_refused(more: bytes) -> None:
    with pytest.raises(ValueError, match="more than 64 bits"):
        read_rest(more, 0, 0xFF)


def _request(interval: int) -> Subscribe:
    options = Options(interval=interval)
    return Subscribe("https://example.org/", Receiver(), keywords=("argus",), options=options)


def test_equal_options_are_decoded_once() -> None:
    decode = decoder(newest(Subscribe).source, Subscribe)
    first, second, third = (decode(encode(_request(each))[HEADER:]) for each in (60, 61, 60))
    assert first.options is third.options
    assert second.options == Options(interval=61)


def _once() -> DecodeOnce:
    return DecodeOnce(lambda data, at: (data[at:].decode(), len(data)), str)


def test_the_last_few_records_are_known() -> None:
    once = _once()
    for number in range(3 * MOST_KNOWN):
        assert once(f"{number:04}".encode(), 0)[0] == f"{number:04}"
        assert len(once) <= MOST_KNOWN


def test_a_large_record_is_not_known() -> None:
    once = _once()
    once(b"x" * (LARGEST_KNOWN + 1), 0)
    assert len(once) == 0


def test_a_record_that_is_cut_short_is_not_known() -> None:
    data = encode(_request(60))[HEADER:]
    decode = decoder(newest(Subscribe).source, Subscribe)
    for end in range(len(data)):
        with pytest.raises((ValueError, IndexError)):
            decode(data[:end])
    assert decode(data) == _request(60)
