"""Plug-ins as entry points of installed packages, which are read once."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoints
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from structlog.testing import capture_logs

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.packages import installed
from connectors.plugins.plugin import READERS
from connectors.readers import Unreadable
from connectors.readers.reading import read_document

NAME = "a_tiny_reader"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    return site


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Plugins]]:
    """Start a process: the entry points are read."""

    def started() -> Plugins:
        installed.cache_clear()
        return open_plugins(READERS, tmp_path / "plugins")

    yield started
    installed.cache_clear()


@pytest.fixture
def logs() -> Iterator[list[Any]]:
    with capture_logs() as logs:
        yield logs


def install(site: Path, work: str, point: str = f"tiny = {NAME}") -> None:
    """Write what pip installs for a distribution with one module."""
    source = f'CONTENT_TYPES = ("x/tiny", "text/csv")\ndef read(body, charset): return {work}\n'
    (site / f"{NAME}.py").write_text(source)
    info = site / f"{NAME}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[vokter.readers]\n{point}\n")


def text(found: Plugins, kind: str = "x/tiny") -> str:
    return read_document(b"a,b", kind, None, found).text


def test_a_package_that_is_installed_at_the_start_is_used(
    start: Callable[[], Plugins], site: Path
) -> None:
    install(site, "'package'")
    found = start()
    assert text(found) == text(found, "text/csv") == "package"


def test_a_package_that_is_installed_later_is_used_from_the_next_start(
    start: Callable[[], Plugins], site: Path
) -> None:
    found = start()
    assert text(found, "text/csv") == "a\tb"
    install(site, "'package'")
    assert text(found, "text/csv") == "a\tb"
    with pytest.raises(Unreadable, match="no reader"):
        text(found)
    assert text(start()) == "package"


def test_the_folder_goes_before_packages(
    start: Callable[[], Plugins], site: Path, tmp_path: Path
) -> None:
    install(site, "'package'")
    found = start()
    folder = tmp_path / "plugins" / "readers"
    folder.mkdir(parents=True)
    own = folder / "own.py"
    own.write_text("CONTENT_TYPES = ('x/tiny',)\ndef read(body, charset): return 'folder'")
    assert text(found) == "folder"
    own.write_text("broken")
    assert text(found) == "package"


@pytest.mark.parametrize("point", ["tiny = nowhere_to_be_found", f"tiny = {NAME}:read"])
def test_a_broken_package_is_reported_once_and_the_built_in_reader_serves(
    point: str, start: Callable[[], Plugins], site: Path, logs: list[Any]
) -> None:
    install(site, "'x'", point)
    found = start()
    for _ in range(3):
        assert text(found, "text/csv") == "a\tb"
    assert [each["event"] for each in logs] == ["a plug-in cannot be loaded"]


def test_the_entry_points_are_read_once(
    start: Callable[[], Plugins], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_points = Mock(return_value=EntryPoints())
    monkeypatch.setattr("connectors.plugins.packages.entry_points", entry_points)
    found = start()
    for _ in range(3):
        text(found, "text/csv")
    open_plugins(READERS, Path("plugins"))
    entry_points.assert_called_once_with(group="vokter.readers")
