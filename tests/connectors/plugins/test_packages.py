"""Plug-ins as entry points of installed packages."""

import shutil
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from connectors.plugins.folder import Folder
from connectors.plugins.loading import Plugins
from connectors.plugins.packages import PAUSE, Packages
from connectors.plugins.plugin import READERS
from connectors.readers import Unreadable
from connectors.readers.reading import read_document

NAME = "a_tiny_reader"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    # Python takes a file of the same second and size for its cached form; pip compiles afresh.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    return site


@pytest.fixture
def found(tmp_path: Path) -> Plugins:
    folder = Folder(tmp_path / "plugins" / "readers")
    return Plugins(READERS, (folder, Packages("vokter.readers", clock=count().__next__)))


@pytest.fixture
def logs() -> Iterator[list[Any]]:
    with capture_logs() as logs:
        yield logs


def install(site: Path, version: str, work: str, point: str = f"tiny = {NAME}") -> None:
    """What pip leaves behind of a distribution with one module."""
    uninstall(site)
    source = f'CONTENT_TYPES = ("x/tiny", "text/csv")\ndef read(body, charset): return {work}\n'
    (site / f"{NAME}.py").write_text(source)
    info = site / f"{NAME}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[vokter.readers]\n{point}\n")
    (info / "RECORD").write_text(f"{NAME}.py,sha256={sha256(source.encode()).hexdigest()},\n")


def uninstall(site: Path) -> None:
    for info in site.glob("*.dist-info"):
        shutil.rmtree(info)
    (site / f"{NAME}.py").unlink(missing_ok=True)


def text(found: Plugins, kind: str = "x/tiny") -> str:
    return read_document(b"a,b", kind, None, found).text


def test_a_package_is_used_upgraded_and_removed_while_the_process_runs(
    found: Plugins, site: Path
) -> None:
    assert text(found, "text/csv") == "a\tb"
    install(site, "1.0", "'first'")
    assert text(found) == text(found, "text/csv") == "first"
    install(site, "2.0", "'second'")
    assert text(found) == "second"
    install(site, "2.0", "'mended'")  # anew, in the same version
    assert text(found) == "mended"
    uninstall(site)
    assert text(found, "text/csv") == "a\tb"
    with pytest.raises(Unreadable, match="no reader"):
        text(found)


def test_the_folder_goes_before_packages(found: Plugins, site: Path, tmp_path: Path) -> None:
    install(site, "1.0", "'package'")
    folder = tmp_path / "plugins" / "readers"
    folder.mkdir(parents=True)
    own = folder / "own.py"
    own.write_text("CONTENT_TYPES = ('x/tiny',)\ndef read(body, charset): return 'folder'")
    assert text(found) == "folder"
    own.write_text("broken")
    assert text(found) == "package"


@pytest.mark.parametrize("point", ["tiny = nowhere_to_be_found", f"tiny = {NAME}:read"])
def test_a_broken_package_is_reported_once_and_the_built_in_reader_serves(
    point: str, found: Plugins, site: Path, logs: list[Any]
) -> None:
    install(site, "1.0", "'x'", point)
    for _ in range(3):
        assert text(found, "text/csv") == "a\tb"
    assert [each["event"] for each in logs] == ["a plug-in is broken"]


def test_packages_are_listed_again_only_when_a_folder_of_theirs_has_changed(
    found: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []

    def entry_points(group: str) -> list[Any]:
        listed.append(group)
        return []

    monkeypatch.setattr("connectors.plugins.packages.entry_points", entry_points)
    monkeypatch.setattr("sys.path", [str(Path(__file__).parents[3] / "schemas")])
    monkeypatch.setattr("connectors.plugins.packages.time_ns", lambda: 1 << 63)
    for _ in range(3):
        text(found, "text/csv")
    assert listed == ["vokter.readers"]


def test_what_changed_just_now_may_still_be_at_work_and_is_listed_again(
    found: Plugins, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "1.0", "'x'")
    now = site.stat().st_mtime_ns
    monkeypatch.setattr("connectors.plugins.packages.time_ns", lambda: now)
    points = site / f"{NAME}-1.0.dist-info" / "entry_points.txt"
    told = points.read_text()
    points.write_text("")
    with pytest.raises(Unreadable):
        text(found)
    points.write_text(told)  # changes a folder that Python does not import from
    assert text(found) == "x"


def test_folders_are_left_alone_for_a_second_after_they_were_looked_at(site: Path) -> None:
    times = [0.0]
    packages = Packages("vokter.readers", clock=lambda: times[-1])
    assert packages.versions() == {}
    install(site, "1.0", "'x'")
    times.append(PAUSE - 0.01)
    assert packages.versions() == {}
    times.append(PAUSE)
    assert packages.versions().keys() == {NAME}
