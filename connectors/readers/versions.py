"""The reader of a page, with its version: texts of two versions are not compared.

Light enough for a process without readers.
"""

from functools import cache
from importlib.metadata import version

VERSIONS = {
    "html": 4,
    "xml": 4,
    "json": 2,
    "markdown": 2,
    "csv": 1,
    "tsv": 1,
    "pdf": 1,
    "plain": 1,
}
"""Of the built-in readers. A change of a reader increments its number."""


@cache
def reader_id(name: str) -> str:
    """Return the name of a built-in reader with its version.

    The text of a PDF depends also on its library.

    >>> reader_id("html")
    'html 4'
    """
    library = f" pypdf {version('pypdf')}" if name == "pdf" else ""
    return f"{name} {VERSIONS[name]}{library}"


def is_outdated(reader: str) -> bool:
    """Return whether a text is from another version of a built-in reader than the present.

    >>> is_outdated("html 0"), is_outdated("html 4"), is_outdated("plug-in bibtex.py 5f1c")
    (True, False, False)
    """
    name, _, _ = reader.partition(" ")
    return name in VERSIONS and reader != reader_id(name)
