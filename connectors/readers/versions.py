"""The reader of a page, with its version: a text of another one is not compared with it.

Light enough for a process that hands pages to others.
"""

from functools import cache
from importlib.metadata import version

VERSIONS = {
    "html": 3,
    "xml": 2,
    "json": 1,
    "markdown": 2,
    "csv": 1,
    "tsv": 1,
    "pdf": 1,
    "plain": 1,
}
"""Of the built-in readers. Who makes one read any page otherwise increments its number."""


@cache
def reader_id(name: str) -> str:
    """Return the name of a built-in reader with its version.

    The text of a PDF depends on the library that reads it, too.

    >>> reader_id("html")
    'html 3'
    """
    library = f" pypdf {version('pypdf')}" if name == "pdf" else ""
    return f"{name} {VERSIONS[name]}{library}"


def is_outdated(reader: str) -> bool:
    """Return whether a text was read by another version of a built-in reader than the present one.

    >>> is_outdated("html 0"), is_outdated("html 3"), is_outdated("plug-in bibtex.py 5f1c")
    (True, False, False)
    """
    name, _, _ = reader.partition(" ")
    return name in VERSIONS and reader != reader_id(name)
