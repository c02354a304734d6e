"""The documentation as values: its files, tables, code and links."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CODE_OF_CONDUCT.md",
    ROOT / "streams/engine/faust/README.md",
    ROOT / "examples/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
MANUAL = [file for file in FILES if file.parent.name != "decisions"]

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")


_PLACES = {
    "render": "fetch",
}


def agent_files(agent: str) -> list[Path]:
    """Return the files of the agent that runs as an agent."""
    place = ROOT / "streams/agents" / _PLACES.get(agent, agent)
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    return [body for kind, body in _BLOCK.findall(page) if kind == language]


def languages(page: str) -> set[str]:
    """Return the languages of the blocks of a page."""
    return {kind for kind, _ in _BLOCK.findall(page)}


def commands(page: str) -> list[str]:
    """Return the shell commands of a page, each with all of its lines."""
    found: list[str] = []
    is_open = False
    for line in "".join(blocks(page, "")).splitlines():
        found = [*found[:-1], f"{found[-1]}\n{line}"] if is_open else [*found, line]
        is_open = _is_open(found[-1])
    return found


def _is_open(command: str) -> bool:
    """Return whether a shell would wait for more."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return True
    return command.endswith("|") or ("while" in words and "done" not in words)


def spans(page: str) -> list[str]:
    return _SPAN.findall(_BLOCK.sub("", page))


def links(page: str) -> list[str]:
    return _LINK.findall(_BLOCK.sub("", page))


def rows(page: str, header: str) -> Iterator[list[str]]:
    """Return the cells of the table with this header in its first column."""
    lines = iter(page.splitlines())
    assert any(line.startswith(f"| {header} |") for line in lines), f"no table of {header}"
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def names(cell: str) -> set[str]:
    """Return the texts of a cell that are in code font."""
    return set(_SPAN.findall(cell))
