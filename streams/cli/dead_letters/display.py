"""Show a dead letter on a terminal: as a line, as JSON, or whole."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from msgspec import to_builtins

from connectors.dead_letters.record import DeadLetter
from connectors.registry.codec import Codec
from schemas.codec.versions import KINDS
from schemas.codec.wire import Undecodable
from streams.cli.output import json_line, printable

SHOWN_BYTES = 2_048
"""The most bytes shown of a value or key."""
REASON_WIDTH = 100
"""Characters of a reason in a list."""


def summary(letter: DeadLetter) -> dict[str, Any]:
    """Return the fields of a dead letter for a list."""
    return {
        "letter": letter.id,
        "at": datetime.fromtimestamp(letter.at / 1000, UTC).isoformat(timespec="milliseconds"),
        "from": "{} {}:{}".format(*letter.origin) if letter.origin else "?",
        "agent": letter.agent,
        "bytes": len(letter.value or b""),
        "reason": letter.reason,
    }


def line(row: dict[str, Any]) -> str:
    """Return a summary on a line, with any content."""
    reason = printable(row["reason"])
    shown = reason if len(reason) <= REASON_WIDTH else reason[: REASON_WIDTH - 3] + "..."
    letter_id, at, origin = row["letter"], row["at"], printable(row["from"])
    return f"{letter_id:<8} {at}  {origin:<30} {row['agent']:<8} {row['bytes']:>9}  {shown}"


def lines(letter: DeadLetter, codec: Codec) -> Iterator[str]:
    """Yield the lines of a dead letter, which leave out only the rest of very long values.

    ``codec`` must have learned the schema of its value.
    """
    for title, text in {**summary(letter), **letter.errors}.items():
        yield f"{title}: {printable(str(text), lines=True)}"
    yield from _message_lines(letter, codec)


def content_lines(letter: DeadLetter, codec: Codec) -> Iterator[str]:
    """Yield the message of a dead letter, decoded if possible, and its topic.

    ``codec`` must have learned the schema of its value.
    """
    yield f"{letter.id} to {printable(summary(letter)['from'])}"
    for text in _message_lines(letter, codec):
        yield f"  {text}"


def _message_lines(letter: DeadLetter, codec: Codec) -> Iterator[str]:
    for header, content in letter.headers:
        yield f"header {printable(header)}: {_content(codec, content)}"
    yield f"key: {_content(codec, letter.key)}"
    yield f"value: {_content(codec, letter.value)}"


def _content(codec: Codec, data: bytes | None) -> str:
    """Return bytes in their most likely form: a record, text, or else a dump."""
    if data is None:
        return "none"
    with suppress(Undecodable):
        record = codec.decode(data, *KINDS)
        return f"{type(record).__name__} {json_line(to_builtins(record))[:SHOWN_BYTES]}"
    more = f" ... ({len(data)} bytes)" if len(data) > SHOWN_BYTES else ""
    with suppress(UnicodeDecodeError):
        return repr(data.decode("utf-8")[:SHOWN_BYTES]) + more
    dump = ""
    for start in range(0, min(len(data), SHOWN_BYTES), 16):
        row = data[start : start + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in row)
        dump += f"\n  {start:08x}  {row.hex(' '):<47}  {text}"
    return dump + more
