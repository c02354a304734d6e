"""Docstrings name things: few pronouns, and no question in place of a name."""

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = "connectors", "infra", "schemas", "streams", "vokter"
MOST_PRONOUNS = 2.5
"""Of ``what``, ``that``, ``it`` and ``one`` in a hundred words."""


@cache
def docstrings() -> Sequence[str]:
    """Every text that stands alone in a module, a class or a function."""
    found = []
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                value = node.value if isinstance(node, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found.append(value.value)
    return found


def test_no_docstring_begins_with_a_question() -> None:
    assert [each for each in docstrings() if re.match(r"(?:What|Where|Why|How)\b", each)] == []


def test_pronouns_are_few() -> None:
    words = [word.lower() for each in docstrings() for word in re.findall(r"[A-Za-z]+", each)]
    pronouns = sum(word in {"what", "that", "it", "one"} for word in words)
    assert 100 * pronouns / len(words) <= MOST_PRONOUNS
