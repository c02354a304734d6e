"""Captures of a page in a WARC file (ISO 28500), read with warcio.

An archive is a stranger's: its lengths may be wrong, its members may unpack to anything. This runs
in a child process, a part of the file at a time.
"""

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import brotli

from schemas.codec.times import epoch_ms
from schemas.records.answers import Response
from schemas.records.captures import Capture
from schemas.records.urls import canonical

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

SCAN_S = 1.0
"""CPU seconds after which a scan returns, to go on at the next record."""
MAX_FOUND = 1_000
"""The most captures in a part of a scan."""
_ENCODINGS = ("", "identity", "gzip", "deflate", "br")


class ArchiveUnreadable(Exception):
    """An archive, or a capture inside, cannot be read; the text names both and the reason."""


@dataclass(frozen=True, slots=True)
class ScannedPart:
    """The captures in a part of an archive, and where the next part begins; None at its end."""

    captures: tuple[Capture, ...]
    next: int | None


def scanned_part(file: str, offset: int, url: str) -> ScannedPart:
    """Find the captures of a page (its canonical URL) in a file from an offset on.

    Raises ArchiveUnreadable for a file other than WARC, or broken there.
    """
    found: list[Capture] = []
    end = process_time() + SCAN_S
    with _records(file, offset) as records:
        for record, begin in records:
            if begin > offset and (process_time() > end or len(found) == MAX_FOUND):
                return ScannedPart(tuple(found), begin)
            headers = record.rec_headers
            is_response = record.rec_type == "response" and record.http_headers is not None
            if is_response and canonical(headers.get_header("WARC-Target-URI") or "") == url:
                with suppress(ValueError):
                    at = epoch_ms(headers.get_header("WARC-Date") or "")
                    found.append(Capture(at, file, begin))
            _check_length(record, file, begin)
    return ScannedPart(tuple(found), None)


def archived_response(capture: Capture, max_document: int) -> Response:
    """Load the response of a capture, unpacked. Raises ArchiveUnreadable."""
    where = capture.place
    with _records(capture.file, capture.offset) as records:
        record, _ = next(records)
        headers = record.http_headers
        encoding = (headers.get_header("Content-Encoding") or "").strip().lower()
        if encoding not in _ENCODINGS:
            raise ArchiveUnreadable(f"{where}: unknown content encoding {encoding[:50]!r}")
        body = _unpacked(record, encoding, max_document + 1)
        if len(body) > max_document:
            raise ArchiveUnreadable(f"{where}: larger than {max_document} bytes")
        _check_length(record, capture.file, capture.offset)
        status = headers.get_statuscode()
        code = int(status) if status.isdecimal() else 0
    return Response(code, body, headers.get_header("Content-Type"))


def _unpacked(record: "ArcWarcRecord", encoding: str, limit: int) -> bytes:
    """Return the first bytes of a body, as far as a limit."""
    if encoding != "br":
        return bytes(record.content_stream().read(limit))
    # What warcio makes of Brotli fails with its library.
    record.http_headers.remove_header("Content-Encoding")
    unpacking = brotli.Decompressor()
    body: bytes = unpacking.process(record.content_stream().read(limit), output_buffer_limit=limit)
    if len(body) < limit and not unpacking.is_finished():
        raise brotli.error("the body is cut off")
    return body


def _check_length(record: "ArcWarcRecord", file: str, offset: int) -> None:
    """Raise ArchiveUnreadable for a record without its length, or shorter than its length."""
    if record.length is None:
        raise ArchiveUnreadable(f"{_place(file, offset)}: the file is cut off, or a length missing")
    stream = record.raw_stream
    while stream.read(65_536):
        pass
    if getattr(stream, "limit", 0) > 0:
        raise ArchiveUnreadable(
            f"{_place(file, offset)}: the file is cut off, or a length is wrong"
        )


@contextmanager
def _records(file: str, offset: int) -> Iterator[Iterator[tuple["ArcWarcRecord", int]]]:
    """Open a file at a record, and go through the records from there on with their offsets."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - only archives need it

    if not Path(file).is_file():
        raise ArchiveUnreadable(f"{file} is no regular file: save it first, it is read twice")
    warnings = StringIO()
    # It writes to standard error that a length is wrong, and goes on.
    with Path(file).open("rb") as opened, redirect_stderr(warnings):
        opened.seek(offset)
        records: Any = ArchiveIterator(opened)
        try:
            yield _checked(records, warnings, file)
        except (ArchiveUnreadable, OSError, MemoryError):
            raise
        except Exception as error:  # warcio raises errors of many kinds for a broken file
            why = (str(error).strip() or "there is no record").splitlines()[0][:200]
            place = _place(file, max(offset, records.offset))
            raise ArchiveUnreadable(f"{place}: not a WARC record ({why})") from error


def _checked(records: Any, warnings: StringIO, file: str) -> Iterator[tuple["ArcWarcRecord", int]]:
    for record in records:
        begin: int = records.offset
        if warnings.getvalue():
            place = _place(file, begin)
            raise ArchiveUnreadable(f"{place}: the length of the record before is wrong")
        yield record, begin
    if records.offset < Path(file).stat().st_size:
        raise ArchiveUnreadable(f"{_place(file, records.offset)}: the file is cut off")


def _place(file: str, offset: int) -> str:
    return f"{file} at byte {offset}"
