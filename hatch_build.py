"""Build hooks: the wheel has all packages below ``vokter``, and a release its repository's address.

As top-level packages, ``schemas`` and ``streams`` would hide packages of these names that a user
has. docs/decisions/0001-top-level-packages.md compares the hook with other ways.
"""

import ast
import os
import re
from collections.abc import Container, Iterator, Mapping
from itertools import accumulate, pairwise
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig
from hatchling.metadata.plugin.interface import MetadataHookInterface

PREFIX = "vokter."
_DOTTED = re.compile(rb"(?<![\w./-])[a-z]\w*\.\w+")
"""The first two parts of a name: what follows may be a module, or something in one."""


class WheelHook(BuildHookInterface[WheelBuilderConfig]):
    """Replaces each module of the wheel with its renamed source.

    ``tool.hatch.build.targets.wheel.sources`` moves the files. An editable installation keeps the
    folders of the repository, and with them the names.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the sources into a folder that exists until the wheel is built."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory(prefix="vokter-wheel-")
        selected = self.build_config.builder.recurse_selected_project_files()
        files = [file for file in selected if file.path.endswith(".py")]
        moved = {
            file.relative_path for file in files if file.relative_path != file.distribution_path
        }
        modules = set(map(module_name, moved))
        for file in files:
            target = Path(self._folder.name, file.distribution_path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(renamed(Path(file.path).read_bytes(), modules))
            build_data["force_include"][str(target)] = file.distribution_path

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete the folder."""
        if version != "editable":
            self._folder.cleanup()


class UrlsHook(MetadataHookInterface):
    """Adds the addresses of the project, which the repository that releases it knows."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set them."""
        metadata["urls"] = project_urls(os.environ)


def project_urls(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses of the repository in which a workflow of GitHub runs; else none.

    >>> here = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "owner/name"}
    >>> project_urls(here)["Issues"]
    'https://git.example/owner/name/issues'
    """
    if (name := environment.get("GITHUB_REPOSITORY")) is None:
        return {}
    home = f"{environment['GITHUB_SERVER_URL']}/{name}"
    changelog = f"{home}/blob/HEAD/CHANGELOG.md"
    return {"Repository": home, "Issues": f"{home}/issues", "Changelog": changelog}


def module_name(path: str) -> str:
    """Return the name of a module by its path in the repository.

    >>> module_name("schemas/wire.py"), module_name("streams/cli/__init__.py")
    ('schemas.wire', 'streams.cli')
    """
    return ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")


def renamed(source: bytes, modules: Container[str]) -> bytes:
    """Insert ``vokter.`` before the names of ``modules`` in imports and strings.

    Other names, such as those of variables, stay as they are.

    >>> source = b'from schemas.wire import encode; at("schemas.wire:encode", schemas.wire)'
    >>> renamed(source, {"schemas", "schemas.wire"})
    b'from vokter.schemas.wire import encode; at("vokter.schemas.wire:encode", schemas.wire)'
    """
    edges = [0, *sorted(set(_mentions(source, modules))), len(source)]
    return PREFIX.encode().join(source[begin:end] for begin, end in pairwise(edges))


def _mentions(source: bytes, modules: Container[str]) -> Iterator[int]:
    """Yield the offsets at which a module is named; those in an f-string come several times."""
    lines = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for line, column, name in _imported(node):
                if name in modules:
                    yield lines[line - 1] + column
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            begin = lines[node.lineno - 1] + node.col_offset
            end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            for found in _DOTTED.finditer(source, begin, end):
                if found[0].decode() in modules:
                    yield found.start()


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and name of each module that a statement imports, or imports from."""
    if isinstance(node, ast.Import):
        yield from ((each.lineno, each.col_offset, each.name) for each in node.names)
    elif node.module is not None and node.level == 0:
        yield node.lineno, node.col_offset + len("from "), node.module
