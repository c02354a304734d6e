"""The examples in the docstrings of readers and stores."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_RUN = {"connectors.stores.opening"}
"""Their examples await."""


def with_examples() -> list[str]:
    rooms = ("readers", "stores")
    files = [file for room in rooms for file in (ROOT / "connectors" / room).rglob("*.py")]
    found = [file for file in files if ">>> " in file.read_text("utf-8")]
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in found}
    return sorted(names - NOT_RUN)


@pytest.mark.parametrize("name", with_examples())
def test_an_example_does_what_it_says(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert not result.failed
