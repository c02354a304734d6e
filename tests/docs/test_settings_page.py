import re

from streams.settings import Settings, variable
from tests.docs.reading import ROOT, text


def test_every_variable_that_is_read_is_documented() -> None:
    sources = [path for room in ("streams", "connectors", "infra") for path in files(room)]
    read = {name for path in sources for name in re.findall(r"\bVOKTER_[A-Z][A-Z_]+", path)}

    assert read, "some variables are read"
    assert {name for name in read if f"`{name}`" not in text("docs/settings.md")} == set()


def test_every_variable_that_is_documented_is_read() -> None:
    pages = [text("docs/settings.md"), text("docs/development.md"), text("README.md")]
    documented = {name for page in pages for name in re.findall(r"VOKTER_[A-Z][A-Z_]+", page)}
    fields = {variable(name) for name in Settings.model_fields}
    sources = "".join(files("infra") + files("tests/servers") + files("tests/harness"))

    assert {name for name in documented - fields if name not in sources} == set()


def files(room: str) -> list[str]:
    return [path.read_text("utf-8") for path in (ROOT / room).rglob("*.py")]
