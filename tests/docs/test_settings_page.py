import re
from typing import Any

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from streams.settings import Settings, variable
from tests.docs.reading import ROOT, text

USERS_OWN = "the user's data folder"
SIGNS = {Ge: "≥ {0.ge}", Gt: "> {0.gt}", Le: "≤ {0.le}"}


def settings_table() -> str:
    lines = ["| variable | default | allowed | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        cells = f"`{variable(name)}`", default(field), allowed(field), field.description
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(line.replace("|  |", "| |") for line in lines)


def default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return USERS_OWN
    if isinstance(field.default, tuple) and field.default:
        return f"`{','.join(map(str, field.default))}`"
    return f"`{field.default}`" if field.default not in (None, ()) else "none"


def allowed(field: FieldInfo) -> str:
    return ", ".join(filter(None, map(limit, field.metadata)))


def limit(rule: Any) -> str:
    if pattern := getattr(rule, "pattern", None):
        return "`" + str(pattern).strip("^$").replace("|", "`, `").strip("()") + "`"
    return SIGNS[type(rule)].format(rule) if type(rule) in SIGNS else ""


def test_the_table_of_settings_agrees_with_the_code() -> None:
    table = settings_table()

    assert table in text("docs/settings.md"), f"docs/settings.md must have this table:\n\n{table}\n"


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
