"""Encode records in Avro's binary form, by functions built from their schemas.

fastavro's writer takes dicts and compares a value with each branch of its union: 4 to 6 times as
slow. Source: Avro 1.12 specification, "Binary Encoding".
"""

from collections.abc import Callable
from typing import Any

Encode = Callable[[Any], bytes]

MOST_EQUAL, LARGEST_EQUAL = 256, 4_000
"""The most records of a kind, and bytes of each, encoded once for all their equals."""
_SAME_IN_MANY = {"Options", "WatchedView"}
"""Large records which are equal in many records."""
_BYTES = [bytes([number]) for number in range(128)]


class EncodeOnce:
    r"""Encodes equal records once: the last of them, if they are not large.

    >>> encode = EncodeOnce(encode_string)
    >>> encode("Io")
    b'\x04Io'
    """

    def __init__(self, encode: Encode) -> None:
        """Begin with none; ``encode`` is for hashable records."""
        self._encode = encode
        self._known: dict[Any, bytes] = {}

    def __len__(self) -> int:
        """The number of known records."""
        return len(self._known)

    def __call__(self, record: Any) -> bytes:
        """Encode a record, or return the encoding of an equal record."""
        found = self._known.get(record)
        if found is None:
            found = self._encode(record)
            if len(found) <= LARGEST_EQUAL:
                if len(self._known) >= MOST_EQUAL:
                    self._known.clear()
                self._known[record] = found
        return found


def encoder(schema: Any) -> Encode:
    """Return the encoder of a record with a schema, as in an ``.avsc`` file."""
    return _encoder(schema, {})


def encode_long(number: int) -> bytes:
    r"""Encode a whole number, zigzag: 7 bits a byte; raises OverflowError beyond 64 bits.

    >>> encode_long(-65)
    b'\x81\x01'
    """
    if 0 <= number < 64:
        return _BYTES[number << 1]
    left = (number << 1) ^ (number >> 63)
    if left >> 64:
        raise OverflowError(f"{number} has more than 64 bits")
    if left < 0x80:
        return _BYTES[left]
    out = bytearray()
    while left >= 0x80:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)
    return bytes(out)


def encode_string(text: str) -> bytes:
    r"""Encode a text after its length in UTF-8; raises UnicodeEncodeError.

    >>> encode_string("Io")
    b'\x04Io'
    """
    data = text.encode()
    size = len(data)
    return (_BYTES[size << 1] if size < 64 else encode_long(size)) + data


def encode_bytes(data: bytes) -> bytes:
    r"""Encode bytes: their number, then them.

    >>> encode_bytes(b"Io")
    b'\x04Io'
    """
    return encode_long(len(data)) + data


_PLAIN: dict[str, Encode] = {
    "long": encode_long,
    "string": encode_string,
    "bytes": encode_bytes,
    "boolean": lambda value: b"\1" if value else b"\0",
}


def _encoder(schema: Any, known: dict[str, Encode]) -> Encode:
    """Return the encoder of a schema; ``known`` has the encoders of the records before, by name."""
    if isinstance(schema, str):
        return _PLAIN.get(schema) or known[schema]
    if isinstance(schema, list):  # a union of null and another type: the branch, then its value
        inner = _encoder(schema[1], known)
        return lambda value: b"\0" if value is None else b"\2" + inner(value)
    if schema["type"] == "array":
        item = _encoder(schema["items"], known)
        # A block of the items, and an empty block at the end.
        return lambda values: (
            b"".join([encode_long(len(values)), *map(item, values), b"\0"]) if values else b"\0"
        )
    called: dict[str, Any] = {"join": b"".join}
    parts: list[str] = []
    for each in schema["fields"]:
        name = each["name"]
        called[f"encode_{name}"] = _encoder(each["type"], known)
        parts.append(f"encode_{name}(record.{name})")
    # A loop over the fields takes twice as long.
    encode: Encode = eval(f"lambda record: join([{', '.join(parts)}])", called)  # noqa: S307 - our own schemas
    if schema["name"] in _SAME_IN_MANY:
        encode = EncodeOnce(encode)
    known[f"{schema['namespace']}.{schema['name']}"] = encode
    return encode
