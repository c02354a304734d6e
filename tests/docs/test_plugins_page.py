"""The plug-ins of the page work as shown."""

import tomllib
from pathlib import Path

import pytest

from connectors.plugins.loading import open_plugins
from connectors.plugins.plugin import READERS, STEMMERS, Plugin, PluginKind
from connectors.readers import Unreadable
from connectors.readers.reading import read_document
from streams.settings import Settings
from tests.docs.reading import blocks, names, rows, text

PAGE = text("docs/plugins.md")
READER, STEMMER = blocks(PAGE, "python")


def shown(kind: PluginKind, source: str, folder: Path) -> Path:
    (folder / kind.name).mkdir()
    (folder / kind.name / "shown.py").write_text(source)
    return folder


def plugin(kind: PluginKind, source: str, name: str, folder: Path) -> Plugin:
    found = open_plugins(kind, shown(kind, source, folder)).find(name)
    assert found is not None
    return found


def test_the_reader_of_the_page_reads(tmp_path: Path) -> None:
    found = open_plugins(READERS, shown(READERS, READER, tmp_path))
    body = b"@book{theogony,\n  author = {Hesiod},\n  title = {Theogony}\n}"
    assert read_document(body, "text/x-bibtex", None, found).text == "Hesiod\nTheogony"
    with pytest.raises(Unreadable, match="this is no BibTeX"):
        read_document(b"x", "application/x-bibtex", None, found)


def test_the_stemmer_of_the_page_stems(tmp_path: Path) -> None:
    stem = plugin(STEMMERS, STEMMER, "af", tmp_path)
    assert [stem(word) for word in ("tafel", "tafels", "honde")] == ["tafel", "tafel", "hond"]


@pytest.mark.parametrize("kind", [READERS, STEMMERS])
def test_the_table_names_what_a_plug_in_defines(kind: PluginKind) -> None:
    column = ["readers", "stemmers"].index(kind.name) + 1
    cells = [row[column] for row in rows(PAGE, "what")]
    assert kind.served in names(cells[0])
    assert any(name.startswith(f"{kind.function}(") for name in names(cells[1]))
    assert names(cells[2]) == {f"{kind.name}/"}
    assert names(cells[3]) == {f"vokter.{kind.name}"}


def test_the_entry_points_of_the_page_are_of_the_groups_that_are_read() -> None:
    points = tomllib.loads(blocks(PAGE, "toml")[0])["project"]["entry-points"]
    assert points.keys() == {f"vokter.{kind.name}" for kind in (READERS, STEMMERS)}


def test_the_folder_is_in_the_data_folder_unless_it_is_set(tmp_path: Path) -> None:
    assert Settings(data_dir=tmp_path).plugin_folder == tmp_path / "plugins"
    assert Settings(plugins=tmp_path).plugin_folder == tmp_path
