"""Files that are none of a tool's, or attack who imports them."""

import json
from contextlib import suppress
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from connectors.imports import files as tool_files
from connectors.imports.draft import UnreadableImport
from connectors.imports.tools import read_watches

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
JOB_FIELDS = (
    "url", "navigate", "name", "filter", "filters", "headers", "cookies", "data", "method",
    "params", "enabled", "additions_only", "use_browser", "wait_for_selector",
    "compared_versions", "proxy",
)  # fmt: skip
WATCH_FIELDS = (
    "url", "title", "tags", "time_between_check", "include_filters", "subtractive_selectors",
    "ignore_text", "trigger_text", "headers", "body", "method", "fetch_backend", "browser_steps",
    "filter_text_added", "filter_text_removed", "notification_urls", "processor", "webdriver_delay",
)  # fmt: skip


def zipped(files: dict[str, bytes], how: int = ZIP_DEFLATED) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"PK\x03\x04 no archive", b"\xff\xfe", b"[" * 100_000, b'{"url": 5'],
)
def test_a_file_of_another_kind_is_refused_or_has_no_watches(data: bytes) -> None:
    with pytest.raises(UnreadableImport):
        read_watches("changedetection", data)


@pytest.mark.parametrize(
    "data", [b"- a\n- b", b"a: [", b"\x00", b"!!python/object/apply:os.getcwd []"]
)
def test_yaml_that_is_no_list_of_jobs_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableImport):
        read_watches("urlwatch", data)


@pytest.mark.parametrize("how", [ZIP_STORED, ZIP_DEFLATED, ZIP_LZMA])
def test_an_archive_with_any_damaged_byte_is_refused_or_read(how: int) -> None:
    watch = json.dumps({"url": "https://example.org/", "title": "Argus has a hundred eyes."})
    whole = zipped({"é/watch.json": watch.encode()}, how)
    for at in range(2, len(whole)):
        damaged = whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]
        with suppress(UnreadableImport):
            read_watches("changedetection", damaged)


@pytest.mark.parametrize("number", [b"0x" + b"f" * 5_000, b"9:" * 5_000 + b"9"])
def test_a_number_with_more_digits_than_are_written_is_refused(number: bytes) -> None:
    with pytest.raises(UnreadableImport, match="3,000 digits"):
        read_watches("urlwatch", b"url: https://example.org/\nmax_tries: " + number)


def test_texts_of_very_many_digits_are_no_numbers() -> None:
    digits = "9" * 5_000
    seconds = {"url": "https://a.example/", "time_between_check": {"hours": digits}}
    delayed = seconds | {"fetch_backend": "html_webdriver", "webdriver_delay": digits}
    (watch,) = read_watches("changedetection", json.dumps(delayed).encode())
    assert watch.request is not None
    assert "interval" not in watch.request
    assert watch.request["view"] == {"render": True}
    tries = {"url": "https://a.example/", "max_tries": digits, "wait_for_timeout": digits}
    (job,) = read_watches("urlwatch", yaml.dump(tries | {"use_browser": True}).encode())
    assert {each.split(":")[0] for each in job.left} == {"max_tries", "wait_for_timeout"}


def test_data_that_json_cannot_say_is_left_out_with_the_reason() -> None:
    job = b"url: https://example.org/\ndata_as_json: true\ndata: {since: 2026-11-29}"
    (watch,) = read_watches("urlwatch", job)
    assert any("JSON" in each for each in watch.left)


def test_an_archive_that_unpacks_to_very_much_is_refused() -> None:
    large = b'{"url": "' + b"a" * tool_files.MAX_JSON + b'"}'
    bomb = zipped({"a/watch.json": large})
    assert len(bomb) < 100_000
    with pytest.raises(UnreadableImport, match="too large when unpacked"):
        read_watches("changedetection", bomb)
    assert read_watches("changedetection", zipped({"a/history.txt": large})) == []


def test_many_files_of_an_archive_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_files, "MAX_ALL", 1_000)
    watch = json.dumps({"url": "https://example.org/", "note": "a" * 400}).encode()
    files = {f"{number}/watch.json": watch for number in range(3)}
    with pytest.raises(UnreadableImport, match="too large when unpacked"):
        read_watches("changedetection", zipped(files))


@pytest.mark.parametrize("again", ["[*x{0}, *x{0}]", "{{<<: [*x{0}, *x{0}]}}"])
def test_yaml_in_which_few_lines_stand_for_very_many_is_refused(again: str) -> None:
    lines = ["x0: &x0 {a: aaaaaaaaaaaaaaaaaaaa}"]
    lines += [f"x{n}: &x{n} {again.format(n - 1)}" for n in range(1, 40)]
    with pytest.raises(UnreadableImport, match="repeats"):
        read_watches("webchanges", "\n".join(lines).encode())


def test_yaml_that_nests_deeply_is_refused_at_its_beginning() -> None:
    with pytest.raises(UnreadableImport, match="nests"):
        read_watches("urlwatch", b"[" * 100_000)


def test_yaml_that_is_a_part_of_itself_is_refused() -> None:
    with pytest.raises(UnreadableImport, match="part of what it names"):
        read_watches("urlwatch", b"&a {url: https://example.org/, filter: [*a]}")


def test_files_and_lists_beyond_their_bounds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_files, "MAX_BYTES", 100)
    with pytest.raises(UnreadableImport, match="more than 100 bytes"):
        read_watches("urlwatch", b"url: https://example.org/#" + b"a" * 100)
    monkeypatch.setattr(tool_files, "MAX_JOBS", 1)
    with pytest.raises(UnreadableImport, match="at most 1"):
        read_watches("urlwatch", b"url: https://a.test/\n---\nurl: https://b.test/")
    monkeypatch.setattr(tool_files, "MAX_WATCHES", 0)
    with pytest.raises(UnreadableImport, match="at most 0"):
        read_watches("changedetection", b'{"url": "https://example.org/"}')


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(JOB_FIELDS, VALUES)))
def test_a_job_may_hold_anything(job: dict[str, Any]) -> None:
    data = yaml.safe_dump({"url": "https://example.org/"} | job).encode()
    try:
        (watch,) = read_watches("webchanges", data)
    except UnreadableImport:
        return
    json.dumps(watch.request)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(WATCH_FIELDS, VALUES)))
def test_a_watch_may_hold_anything(watch: dict[str, Any]) -> None:
    data = json.dumps({"url": "https://example.org/"} | watch).encode()
    for each in read_watches("changedetection", data):
        json.dumps(each.request)
