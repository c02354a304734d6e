"""Fact ↔ bytes: Avro single-object encoding, and JSON for requests."""

from collections.abc import Callable, Hashable
from functools import cache
from io import BytesIO
from typing import Any

from fastavro import schemaless_reader
from msgspec import convert

from schemas.codec.decoding import decoder
from schemas.codec.encoding import Encode, encoder
from schemas.codec.json_requests import FaultyRequest, parse_request
from schemas.codec.json_values import InvalidRequestBody
from schemas.codec.validity import fault
from schemas.codec.versions import HEADER, MARKER, Record, Schema, by_header, newest

_SMALL = 100_000
_MAX_READS = 1_000_000


class Undecodable(ValueError):
    """Bytes without a record of ours, or a record beyond the contract; the text says why."""


class _Bounded(BytesIO):
    """A stream with a limited number of reads.

    Two bytes can be a part of a record of a hundred times as much memory: 8 MB of them took 2 GB
    and 22 s. Our records have far fewer parts.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._left = _MAX_READS

    def read(self, size: int | None = -1) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise ValueError("it has too many parts")
        return super().read(size)


def encode(record: Record) -> bytes:
    """Encode a record with the newest version of its schema.

    >>> from schemas.records.fetches import Forget
    >>> decode(encode(Forget("http://a.example/", "w")), Forget)
    Forget(url='http://a.example/', watch='w')
    """
    kind: Any = type(record)
    header, encoded = _writer(kind)
    return header + encoded(record)


def decode(data: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
    """Decode a record of ``kinds`` from a message's value, or raise Undecodable.

    ``allow_json`` accepts a handwritten request as a JSON object, an InvalidRequest if the object
    has a mistake. A fact beyond ``validity`` is refused, too.
    """
    if not data:
        raise Undecodable("the value is empty")
    if allow_json and data.lstrip()[:1] == b"{":
        try:
            request = parse_request(data)
        except InvalidRequestBody as error:
            raise Undecodable(str(error)) from error
        return request if isinstance(request, FaultyRequest) else checked(request, kinds)
    if not data.startswith(MARKER):
        raise Undecodable(f"neither Avro single-object encoding nor JSON: begins {data[:4].hex()}")
    writer = by_header(data)
    if writer is None:
        raise Undecodable(f"unknown Avro schema {data[2:HEADER][::-1].hex()}")
    return checked(read(writer, data[HEADER:]), kinds)


def checked(record: Any, kinds: tuple[type[Any], ...]) -> Any:
    """Return a valid record of ``kinds``, or raise Undecodable."""
    if not isinstance(record, kinds):
        expected = ", ".join(kind.__name__ for kind in kinds)
        raise Undecodable(f"a {type(record).__name__} does not belong here, only: {expected}")
    if (reason := fault(record)) is not None:
        raise Undecodable(f"a {type(record).__name__} may not say this: {reason} is allowed")
    return record


@cache
def _writer(kind: Hashable) -> tuple[bytes, Encode]:
    """Return the header of a kind of record, and the encoder of the rest."""
    schema = newest(kind)  # type: ignore[arg-type]  # a record
    return schema.header, encoder(schema.source)


def read(writer: Schema, body: bytes) -> Any:
    """Read a record of a schema; raises Undecodable."""
    kind: Any = writer.kind
    reader = newest(kind)
    is_plain = writer is reader and len(body) <= _SMALL
    try:
        return _decoder(kind)(body) if is_plain else _read_carefully(writer, reader, body)
    except Exception as error:  # whatever the broken bytes make fastavro or us trip over
        why = f"{type(error).__name__}: {error}"  # its repr may hold all the bytes
        raise Undecodable(f"broken {kind.__name__} record: {why}") from error


def _read_carefully(writer: Schema, reader: Schema, body: bytes) -> Any:
    """Read a large record, or a record of another version of the schema."""
    stream = BytesIO(body) if len(body) <= _SMALL else _Bounded(body)
    # None says that both are the same, which fastavro would need longer to find out.
    wanted = None if writer is reader else reader.parsed
    values = schemaless_reader(stream, writer.parsed, wanted)
    if stream.read(1):
        raise ValueError("bytes are left over")
    return convert(values, writer.kind)


@cache
def _decoder(kind: Hashable) -> Callable[[bytes], Any]:
    """Return the decoder of a kind of record in the newest version of its schema."""
    return decoder(newest(kind).source, kind)  # type: ignore[arg-type]  # a record
