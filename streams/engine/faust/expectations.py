"""Check at the start that Faust and aiokafka have the versions that the patches are made for.

A patch of a method that another version has renamed would never be called, and messages would be
lost in silence.
"""

from importlib.metadata import version

from connectors.kafka.patching import PATCHED_VERSION
from streams.engine.errors import UnexpectedLibrary

VERSIONS = {"aiokafka": PATCHED_VERSION, "faust-streaming": "0.15.3", "mode-streaming": "0.7.1"}
"""The versions that the patches were written for and tested with."""


def check_libraries() -> None:
    """Raise UnexpectedLibrary if the patches would not be in force."""
    found = {name: version(name) for name in VERSIONS}
    others = [
        f"{name} is {found[name]}, not {VERSIONS[name]}"
        for name in VERSIONS
        if found[name] != VERSIONS[name]
    ]
    if others:
        pins = " ".join(f"'{name}=={pinned}'" for name, pinned in VERSIONS.items())
        raise UnexpectedLibrary(
            "Vokter fixes faults of Faust and aiokafka by replacing private parts of them, and "
            f"these are not as expected: {'; '.join(others)}. With them messages could be lost. "
            f"Install the versions that Vokter is made for: pip install {pins}"
        )
