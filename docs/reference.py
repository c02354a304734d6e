"""Write the tables of the reference that follow from the code: ``make schemas`` runs it.

Each table stands between two marks of its page. A test compares the tables with the code.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from streams.cli.commands import COMMANDS, SECTIONS, load_command
from streams.settings import Settings, variable
from tests.fakes.metrics import known

DOCS = Path(__file__).parent
_SIGNS = {Ge: "≥ {0.ge}", Gt: "> {0.gt}", Le: "≤ {0.le}"}
_MARKED = re.compile(r"(?<=<!-- written by make schemas -->\n).*?(?=<!-- end -->)", re.DOTALL)


def settings_tables() -> str:
    """Return the variables with their defaults, limits and meanings."""
    fields = Settings.model_fields.items()
    return _table(
        ("variable", "default", "allowed", "meaning"),
        [(f"`{variable(name)}`", _default(f), _allowed(f), f.description) for name, f in fields],
    )


def metrics_tables() -> str:
    """Return the metrics with their types, labels and meanings."""
    found = [
        (f"`{each.name}`", each.kind, ", ".join(f"`{label}`" for label in each.labels), each.text)
        for each in known()
    ]
    return _table(("metric", "type", "labels", "meaning"), found)


def commands_tables() -> str:
    """Return the commands by their sections in --help, and all options."""
    lines = {name: list(_lines(load_command(name), name)) for name in COMMANDS}
    options: dict[tuple[str, str], list[str]] = {}
    for name, below in lines.items():
        for _, command in below:
            for option in _options(command):
                used = options.setdefault(option, [])
                used.extend([name] if name not in used else [])
    parts = [
        f"### {section}\n\n"
        + _table(
            ("command", "does"),
            [_command(*line) for name in names for line in lines[name]],
        )
        for section, names in SECTIONS.items()
    ]
    rows = [(f"`{flag}`", _users(used), about) for (flag, about), used in options.items()]
    return "\n".join(
        (*parts, "### All options\n", _table(("option", "of", "meaning"), sorted(rows)))
    )


TABLES: dict[str, Callable[[], str]] = {
    "settings": settings_tables,
    "metrics": metrics_tables,
    "commands": commands_tables,
}
"""The pages with tables between marks."""


def written(page: str, tables: str) -> str:
    """Return a page with these tables between its marks."""
    return _MARKED.sub(lambda _: f"\n{tables}\n", page)


def by_hand(page: str) -> str:
    """Return what people keep true of a page: all but the tables between marks."""
    return _MARKED.sub("", page)


def _table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [" | ".join(map(str, row)) for row in (titles, *rows)]
    return "\n".join((f"| {lines[0]} |", "|---" * len(titles) + "|", *map(_row, lines[1:]), ""))


def _row(cells: str) -> str:
    return f"| {cells} |".replace("|  |", "| |")


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "the user's data folder"
    if isinstance(field.default, tuple) and field.default:
        return f"`{','.join(map(str, field.default))}`"
    return f"`{field.default}`" if field.default not in (None, ()) else "none"


def _allowed(field: FieldInfo) -> str:
    return ", ".join(filter(None, map(_limit, field.metadata)))


def _limit(rule: Any) -> str:
    if pattern := getattr(rule, "pattern", None):
        return "`" + str(pattern).strip("^$").replace("|", "`, `").strip("()") + "`"
    return _SIGNS[type(rule)].format(rule) if type(rule) in _SIGNS else ""


def _lines(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its name, except groups of commands."""
    if not isinstance(command, typer.core.TyperGroup):
        yield path, command
        return
    for name, found in command.commands.items():
        yield from _lines(found, *path, name)


def _command(path: tuple[str, ...], command: Any) -> tuple[str, str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    names = [
        (each.metavar or each.name.upper()).strip("[].").replace("|", "/")
        + ("…" if each.nargs != 1 else "")
        for each in arguments
    ]
    return f"`{' '.join(('vokter', *path, *names))}`", _first(command.help)


def _options(command: Any) -> Iterator[tuple[str, str]]:
    for each in command.params:
        if each.param_type_name == "option" and "--help" not in each.opts and not each.hidden:
            flags = " / ".join((*each.opts, *each.secondary_opts))
            yield f"{flags} {(each.metavar or '').replace('|', '/')}".rstrip(), _first(each.help)


def _users(commands: list[str]) -> str:
    return ", ".join(commands) if len(commands) < 15 else "most commands"


def _first(text: str | None) -> str:
    """Return the first paragraph of a help."""
    return " ".join((text or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    for name, tables in TABLES.items():
        page = DOCS / f"{name}.md"
        page.write_text(written(page.read_text("utf-8"), tables()), "utf-8")
