"""Rows are read again as they were written, in each format."""

import gzip
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from connectors.history_files.rows import HistoryRow, rows_of
from connectors.history_files.writers import FormatUnavailable, row_file
from schemas.records.failures import DocumentUnreachable

(ROW,) = rows_of(DocumentUnreachable("c", "http://u/", "w", 5, "", "café \U0001f600", 7_000))
ENDINGS = [".jsonl", ".jsonl.gz", ".parquet"]


def read(path: Path) -> list[Any]:
    if path.suffix == ".parquet":
        rows: list[Any] = parquet.read_table(path).to_pylist()
        return rows
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return [json.loads(line) for line in content.splitlines()]


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_are_read_again_in_their_order(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"history{ending}"
    rows = [HistoryRow(**{**ROW, "change": f"c{number}"}) for number in range(3)]
    with row_file(path) as write:
        write(rows[:2])
        write(rows[2:])
    found = read(path)
    assert [each["change"] for each in found] == ["c0", "c1", "c2"]
    assert found[0]["reason"] == "café \U0001f600"
    at = datetime.fromtimestamp(7, UTC) if ending == ".parquet" else 7_000
    assert found[0]["at"] == at


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_without_rows_is_valid(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"history{ending}"
    with row_file(path):
        pass
    assert read(path) == []


@given(text=st.text(st.characters()))
@pytest.mark.parametrize("ending", ENDINGS)
def test_any_text_can_be_written(
    ending: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / f"history{ending}"
    with row_file(path) as write:
        write([HistoryRow(**{**ROW, "before": text, "headings": [text]})])
    (found,) = read(path)
    if text.isprintable():
        assert (found["before"], found["headings"]) == (text, [text])


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_error_leaves_the_file_that_was_there(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"history{ending}"
    path.write_bytes(b"earlier")

    def fail() -> None:
        with row_file(path) as write:
            write([ROW])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_ending_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with (
        pytest.raises(FormatUnavailable, match=r"\.csv.*\.jsonl\.gz"),
        row_file(tmp_path / "a.csv"),
    ):
        pass


def test_without_the_library_parquet_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "a.parquet"
    with pytest.raises(FormatUnavailable, match=r"vokter\[parquet\]"), row_file(path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.parquet"])
def test_a_folder_that_is_missing_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError) as raised, row_file(tmp_path / "missing" / name):
        pass
    assert "missing" in str(raised.value.filename)
