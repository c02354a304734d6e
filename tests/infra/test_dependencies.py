"""Each dependency is named with its purpose, and may be used by everybody."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

from tests.docs.reading import rows, text

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME = re.compile(r"^[A-Za-z0-9._-]+", re.MULTILINE)
PERMISSIVE = re.compile(
    r"\b(?:MIT|0?BSD|Apache|Python Software Foundation|PSF|ISC|Zlib|CC0|HPND|Repoze)\b"
)
WEAK = {
    "certifi": "MPL-2.0: the list of authorities, used as it is",
    "tld": "MPL-1.1 by choice: names of domains for trafilatura, used as it is",
}
"""Licences that ask for the source of their own changed files, and nothing of a program's."""


def locked() -> list[str]:
    """The libraries of the image that are installed here; others are for other systems."""
    names = NAME.findall((ROOT / "requirements/image.lock").read_text("utf-8"))
    return sorted({name for name in names if any(metadata.distributions(name=name))})


def licence(name: str) -> str:
    about = metadata.metadata(name).json
    files = metadata.files(name) or []
    texts = [each.read_text()[:100] for each in files if "LICENSE" in each.name.upper()]
    classifiers = [each for each in about.get("classifier", ()) if each.startswith("License")]
    return " ".join(
        map(str, [about.get("license_expression"), about.get("license"), *classifiers, *texts])
    )


def test_the_tables_name_what_the_project_installs_and_nothing_else() -> None:
    library, _, server = text("docs/dependencies.md").partition("## A deployment")
    needs = PROJECT["dependencies"], PROJECT["optional-dependencies"]["server"]
    base, more = ({NAME.findall(each)[0] for each in names} for names in needs)
    assert sorted(row[0] for row in rows(library, "library")) == sorted(base)
    assert sorted(row[0] for row in rows(server, "library")) == sorted(more - base)


def test_the_licence_of_each_dependency_is_permissive() -> None:
    others = {name: found for name in locked() if not is_permissive(name, found := licence(name))}
    assert others == {}


def is_permissive(name: str, licence: str) -> bool:
    allowed = re.compile("MPL|Mozilla") if name in WEAK else PERMISSIVE
    return allowed.search(licence) is not None


def test_all_of_the_lock_is_looked_at() -> None:
    assert len(locked()) > 80
