"""The examples in docstrings."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("connectors", "infra", "schemas", "streams", "vokter")


def with_examples() -> list[str]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    every = [ROOT / "hatch_build.py", *files]
    found = [file for file in every if has_example(file.read_text("utf-8"))]
    return sorted(".".join(file.relative_to(ROOT).with_suffix("").parts) for file in found)


def has_example(source: str) -> bool:
    return any(">>> " in line and "+SKIP" not in line for line in source.splitlines())


@pytest.mark.parametrize("name", with_examples())
def test_an_example_does_what_it_says(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert not result.failed
