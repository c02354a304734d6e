"""Backtests with archived captures: WARC files, read as live pages are, hostile ones too."""

import gzip
import os
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import brotli
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from connectors.archives import warc
from connectors.archives.warc import ArchiveUnreadable, scanned_part
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Selector, ViewOptions
from streams.agents.history import backtest_archives as archives
from streams.agents.history.backtest_archives import (
    ArchiveEffects,
    archive_backtest,
    archived_history,
)
from streams.effects.archives import opened_archives
from streams.settings import Settings
from tests.fakes.asked import asked_subscription

URL = "https://example.org/giants"
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
Written = tuple[int, str, str]
"""A capture: day, page, status."""


def page(*sentences: str) -> str:
    return (
        f"<html lang=en><title>Giants</title><main>{''.join(f'<p>{s}' for s in sentences)}</main>"
    )


def archive(
    file: Path,
    captures: Sequence[Written],
    *,
    is_packed: bool = True,
    url: str = URL,
    more: str = "",
) -> str:
    """Write captures of a page to a WARC file, and return its path."""
    with file.open("wb") as opened:
        writer = WARCWriter(opened, gzip=is_packed)
        for day, body, status in captures:
            kind = [("Content-Type", "text/html; charset=utf-8")]
            content = body.encode()
            if more == "gzip":
                kind.append(("Content-Encoding", "gzip"))
                content = gzip.compress(content)
            elif more == "br":
                kind.append(("Content-Encoding", "br"))
                content = brotli.compress(content)
            elif more:
                kind.append(("Content-Encoding", more))
            at = (BEGUN + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
            record = writer.create_warc_record(
                url,
                "response",
                payload=BytesIO(content),
                http_headers=StatusAndHeaders(status, kind, protocol="HTTP/1.1"),
                warc_headers_dict={"WARC-Date": at},
            )
            writer.write_record(record)
    return str(file)


@pytest.fixture
async def effects(tmp_path: Path) -> AsyncIterator[ArchiveEffects]:
    settings = Settings(data_dir=tmp_path, max_document=1_000_000)
    async with opened_archives(settings) as effects:
        yield effects


def asked(*keywords: str, **options: object) -> Subscription:
    chosen = Options(**{"ignore_case": True, **options})  # type: ignore[arg-type]  # by name
    receiver = Receiver(session="try")
    return asked_subscription(Subscribe(URL, receiver, keywords=keywords, options=chosen))


PAST = [
    (3, page("Argus wakes.", "Zeus reigns."), "200 OK"),
    (1, page("Argus sleeps."), "200 OK"),
    (2, page("Argus sleeps.", "Zeus reigns."), "200 OK"),
    (4, page("down"), "503 Service Unavailable"),
]


@pytest.mark.parametrize("is_packed", [True, False])
async def test_captures_of_several_files_are_compared_in_order_of_time(
    tmp_path: Path, effects: ArchiveEffects, is_packed: bool
) -> None:
    files = [
        archive(tmp_path / "late", PAST[:1], is_packed=is_packed, more="br"),
        archive(tmp_path / "other", PAST, is_packed=is_packed, url=f"{URL}/zeus"),
        archive(tmp_path / "early", PAST[1:], is_packed=is_packed, more="gzip"),
    ]
    request = asked("zeus", "argus")
    found = await archived_history(effects, request, files)
    assert [each.at for each in found.captures] == sorted(each.at for each in found.captures)
    assert (len(found.captures), found.skipped) == (4, 1)
    assert found.reasons[0].endswith("HTTP 503")
    result = archive_backtest(request, found, 0, 10)
    counts = {word: each.count for word, each in result.tally.keywords.items()}
    assert counts == {"zeus": 1, "argus": 1}
    texts = [
        [(diff.event, diff.text) for diff in each.notification.diffs]
        for each in result.tally.listed
    ]
    assert texts[1] == [("added", "Zeus reigns.")]
    later = archive_backtest(request, found, found.changes[1].at, 10)
    assert set(later.tally.keywords) == {"argus"}


async def test_a_view_reads_captures_as_it_reads_pages(
    tmp_path: Path, effects: ArchiveEffects
) -> None:
    pages = [page("Argus sleeps.") + f"<p id=price>{n} drachmas" for n in (5, 7)]
    file = archive(tmp_path / "a", [(day, body, "200 OK") for day, body in enumerate(pages)])
    part = ViewOptions(select=(Selector(css="#price"),))
    found = await archived_history(effects, asked("*", view=part), [file])
    assert [change.regions[0].added.text for change in found.changes] == ["7 drachmas"]  # type: ignore[union-attr]


async def test_a_scan_goes_on_where_its_part_ended(
    tmp_path: Path, effects: ArchiveEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc, "MAX_FOUND", 1)
    for is_packed in (True, False):
        file = archive(tmp_path / "a", PAST, is_packed=is_packed)
        parts, offset = [], 0
        while True:
            part = scanned_part(file, offset, URL)
            parts.append(len(part.captures))
            if part.next is None:
                break
            assert part.next > offset
            offset = part.next
        assert parts == [1, 1, 1, 1]


async def test_no_more_captures_are_read_than_a_backtest_may(
    tmp_path: Path, effects: ArchiveEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_CAPTURES", 2)
    found = await archived_history(effects, asked("zeus"), [archive(tmp_path / "a", PAST)])
    assert (len(found.captures), found.stopped) == (2, "captures")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-200])


def lengthened(file: Path) -> None:
    text = file.read_bytes()
    at = text.index(b"Content-Length: ") + 16
    file.write_bytes(text[:at] + b"9" + text[at:])


def shortened(file: Path) -> None:
    text = file.read_bytes()
    at = text.index(b"Content-Length: ") + 16
    file.write_bytes(text[:at] + text[at + 1 :])


def replaced(file: Path) -> None:
    file.write_bytes(b"<html>no archive</html>\n" * 100)


@pytest.mark.parametrize("break_it", [cut, lengthened, shortened, replaced])
@pytest.mark.parametrize("is_packed", [True, False])
async def test_a_broken_archive_is_refused_with_its_name_and_place(
    tmp_path: Path, effects: ArchiveEffects, break_it: object, is_packed: bool
) -> None:
    file = tmp_path / "broken.warc"
    archive(file, PAST[:2], is_packed=False)
    assert callable(break_it)
    break_it(file)
    if is_packed:
        file.write_bytes(gzip.compress(file.read_bytes()))
    with pytest.raises(ArchiveUnreadable, match=r"broken\.warc at byte \d+: "):
        await archived_history(effects, asked("zeus"), [str(file)])


@pytest.mark.parametrize(
    ("body", "more", "status", "reason"),
    [
        (page("zeus " * 400_000), "gzip", "200 OK", "larger than 1000000 bytes"),
        (page("zeus " * 400_000), "br", "200 OK", "larger than 1000000 bytes"),
        (page("zeus"), "zip", "200 OK", "unknown content encoding 'zip'"),
        (page("zeus"), "gzip", "9" * 5000 + " OK", "Exceeds the limit"),
    ],
)
async def test_a_capture_that_cannot_be_read_is_left_out_with_its_reason(
    tmp_path: Path, effects: ArchiveEffects, body: str, more: str, status: str, reason: str
) -> None:
    odd = archive(tmp_path / "odd", [(2, body, status)], more=more)
    files = [archive(tmp_path / "good", PAST[:2]), odd]
    found = await archived_history(effects, asked("zeus"), files)
    assert (len(found.captures), found.skipped, len(found.changes)) == (3, 1, 1)
    assert reason in found.reasons[0]


async def test_a_pipe_is_no_archive(tmp_path: Path, effects: ArchiveEffects) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArchiveUnreadable, match="pipe is no regular file"):
        await archived_history(effects, asked("zeus"), [str(tmp_path / "pipe")])


@pytest.mark.slow  # it fills the memory of a process
async def test_a_bomb_ends_its_process_and_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.warc.gz"
    block = b"WARC/1.0\r\nWARC-Type: metadata\r\nX: " + b" " * 50_000_000
    with file.open("wb") as opened:
        for _ in range(20):
            opened.write(gzip.compress(block, 1))
    settings = Settings(data_dir=tmp_path, parse_timeout=1.0)
    async with opened_archives(settings) as effects:
        with pytest.raises(ArchiveUnreadable, match=r"bomb\.warc\.gz"):
            await archived_history(effects, asked("zeus"), [str(file)])
