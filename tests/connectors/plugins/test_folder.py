"""Plug-ins as files that are added, changed and removed while the process runs."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import READERS
from connectors.readers import Unreadable
from connectors.readers.reading import read_document

READER = """
CONTENT_TYPES = ("application/X-Shout", "text/csv")

def read(body, charset):
    return body.decode(charset or "utf-8").upper()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "readers"
    folder.mkdir()
    return folder


@pytest.fixture
def found(tmp_path: Path) -> Plugins:
    return open_plugins(READERS, tmp_path)


@pytest.fixture
def logs() -> Iterator[list[Any]]:
    with capture_logs() as logs:
        yield logs


def put(file: Path, source: str, at: int) -> None:
    """Write a file with a time (s): files written within some ms may get the same."""
    file.write_text(source)
    os.utime(file, (at, at))


def shouted(found: Plugins, body: str = "hi", kind: str = "application/x-shout") -> str:
    return read_document(body.encode(), kind, None, found).text


def test_a_folder_that_does_not_exist_has_no_plug_ins(found: Plugins) -> None:
    assert shouted(found, "a,b", "text/csv") == "a\tb"


def test_a_plug_in_is_added_changed_and_removed_while_the_process_runs(
    found: Plugins, folder: Path, logs: list[Any]
) -> None:
    with pytest.raises(Unreadable, match="no reader"):
        shouted(found)

    file = folder / "shout.py"
    file.write_text(READER)
    assert shouted(found) == "HI"
    assert shouted(found, "a,b", "text/csv") == "A,B"

    put(file, READER.replace("upper", "title"), 1)
    assert shouted(found) == "Hi"

    put(file, READER.replace("upper", "lower"), 2)  # of the same length as the first
    assert shouted(found, "HI") == "hi"

    file.unlink()
    assert shouted(found, "a,b", "text/csv") == "a\tb"
    with pytest.raises(Unreadable, match="no reader"):
        shouted(found)
    loaded, gone = "a plug-in was loaded", "a plug-in was removed"
    assert [each["event"] for each in logs] == [loaded, loaded, loaded, gone]


def test_the_declared_charset_reaches_the_plug_in(found: Plugins, folder: Path) -> None:
    (folder / "shout.py").write_text(READER)
    body = "é".encode("cp1252")
    assert read_document(body, "text/csv; charset=cp1252", None, found).text == "É"


@pytest.mark.parametrize(
    "broken",
    [
        "def read(",
        "raise RuntimeError('no')",
        "raise SystemExit(1)",
        "import a_module_that_is_nowhere",
        READER.replace("CONTENT_TYPES", "KINDS"),
        READER.replace("read", "red"),
        "read = 1\nCONTENT_TYPES = ('text/csv',)",
        "read = str\nCONTENT_TYPES = 'text/csv'",
        "read = str\nCONTENT_TYPES = 7",
        "\0",
    ],
)
def test_a_broken_plug_in_is_reported_once_a_version_and_the_built_in_one_serves(
    broken: str, found: Plugins, folder: Path, logs: list[Any]
) -> None:
    file = folder / "shout.py"
    for times in (1, 2):
        file.write_text(broken + "\n" * times)
        for _ in range(3):
            assert shouted(found, "a,b", "text/csv") == "a\tb"
        assert [each["event"] for each in logs] == ["a plug-in cannot be loaded"] * times
        assert logs[-1]["plugin"] == str(file)

    file.write_text(READER)
    assert shouted(found, "a,b", "text/csv") == "A,B"


@pytest.mark.parametrize("work", ["1 / 0", "None", "body"])
def test_a_plug_in_that_fails_is_reported_once_a_version_and_the_built_in_one_serves(
    work: str, found: Plugins, folder: Path, logs: list[Any]
) -> None:
    source = f"CONTENT_TYPES = ('text/csv', 'x/y')\ndef read(body, charset): return {work}"
    (folder / "failing.py").write_text(source)
    for _ in range(3):
        assert shouted(found, "a,b", "text/csv") == "a\tb"
    with pytest.raises(Unreadable, match=r"failing\.py failed"):
        shouted(found, kind="x/y")
    assert [each["event"] for each in logs] == ["a plug-in was loaded", "a plug-in failed"]


def test_a_document_that_a_plug_in_finds_unreadable_is_unreadable(
    found: Plugins, folder: Path
) -> None:
    (folder / "strict.py").write_text(
        "from vokter.plugins import Unreadable\nCONTENT_TYPES =   ('text/csv',)\n"
        "def read(body, charset): raise Unreadable('not for me')"
    )
    with pytest.raises(Unreadable, match="not for me"):
        shouted(found, kind="text/csv")


def test_the_text_of_a_plug_in_is_normalized(found: Plugins, folder: Path) -> None:
    source = r"CONTENT_TYPES = ('x/y',)" + "\n" + r"def read(*_): return ' \ufb01ne\r\n\ud800 '"
    (folder / "raw.py").write_text(source)
    assert shouted(found, kind="x/y") == "fine\n\ufffd"


def test_of_two_plug_ins_for_one_type_the_first_by_name_is_used(
    found: Plugins, folder: Path
) -> None:
    (folder / "b.py").write_text(READER)
    (folder / "a.py").write_text(READER.replace("upper", "title"))
    assert shouted(found) == "Hi"
    (folder / "a.py").rename(folder / "c.py")
    assert shouted(found) == "HI"


@pytest.mark.parametrize("name", ["_off.py", ".#shout.py", "shout.py~", "shout.txt", "shout.pyc"])
def test_a_file_without_the_name_of_a_plug_in_is_ignored(
    name: str, found: Plugins, folder: Path, logs: list[Any]
) -> None:
    (folder / name).write_text("raise RuntimeError")
    assert shouted(found, "a,b", "text/csv") == "a\tb"
    assert logs == []


def test_a_plug_in_leaves_no_other_files_in_its_folder(found: Plugins, folder: Path) -> None:
    (folder / "shout.py").write_text(READER)
    shouted(found)
    assert [each.name for each in folder.iterdir()] == ["shout.py"]
