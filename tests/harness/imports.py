"""What Python sources import."""

import ast
from collections.abc import Iterator


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Yield the names of the modules that a source imports, or imports from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
