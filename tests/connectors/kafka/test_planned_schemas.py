"""Requests and answers that are encoded by runs of numbers are the same bytes as aiokafka's."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from aiokafka.protocol.fetch import FetchRequest_v11, FetchResponse_v11
from aiokafka.protocol.metadata import MetadataResponse_v5
from aiokafka.protocol.produce import ProduceRequest_v8
from aiokafka.protocol.struct import Struct
from aiokafka.protocol.types import Boolean, Int8, Int16, Int32, Int64, Schema, String, UInt32

from connectors.kafka_patches.planned_schemas import decode, encode, plan_schemas

PARTS = [(0, 0, 10, 10, 0, None, -1, b""), (1, 3, 2**40, -1, 0, [(7, 8)], -1, b"messages")]
RECORDS = (
    FetchResponse_v11(0, 0, 5, [("in", PARTS), ("other", [])]),
    FetchRequest_v11(-1, 500, 1, 9, 1, 0, -1, [("in", [(0, -1, 5, -1, 16)])], [], ""),
    ProduceRequest_v8(None, -1, 60_000, [("out", [(1, b"messages")])]),
    MetadataResponse_v5(
        0, [(1, "host", 9092, None)], "id", 1, [(0, "in", False, [(0, 1, 1, [1], [1], [])])]
    ),
)


@pytest.fixture
def planned() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patches:
        # What is set twice is as it was before in the end.
        for kind in (Schema, Struct):
            for name in ("encode", "decode"):
                patches.setattr(kind, name, vars(kind)[name])
        plan_schemas()
        yield


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_bytes_and_values_are_those_of_aiokafka(
    record: Struct, request: pytest.FixtureRequest
) -> None:
    data = record.encode()
    request.getfixturevalue("planned")
    assert record.encode() == data
    assert type(record).decode(BytesIO(data)) == record
    assert type(record).decode(data) == record


NUMBERS = Schema(
    ("a", Int8),
    ("b", Int16),
    ("c", Int32),
    ("d", Int64),
    ("e", UInt32),
    ("f", Boolean),
    ("g", String()),
    ("h", Int8),
)


def test_each_kind_of_number_keeps_its_value() -> None:
    item = (-1, -(2**15), 2**31 - 1, -(2**63), 2**32 - 1, True, None, 5)
    assert decode(NUMBERS, BytesIO(encode(NUMBERS, item))) == item


@pytest.mark.parametrize("item", [(1, 2), (300, 0, 0, 0, 0, True, "", 0)], ids=["few", "large"])
def test_values_that_do_not_fit_are_an_error(item: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"fit|count"):
        encode(NUMBERS, item)


def test_an_answer_that_ends_too_soon_is_an_error() -> None:
    with pytest.raises(ValueError, match="too little data"):
        decode(NUMBERS, BytesIO(b"\0\0"))
