"""The release that a data folder is of, which ``vokter up`` notes in the folder."""

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from infra.files import replace_text
from infra.jars import KAFKA_VERSION

NOTE = "release.json"


@dataclass(frozen=True, slots=True)
class Release:
    """A version of Vokter, and that of its local broker."""

    vokter: str
    kafka: str


def this_release() -> Release:
    """Return the release that runs."""
    return Release(version("vokter"), KAFKA_VERSION)


def note_release(folder: Path) -> None:
    """Note in a data folder that this release has started with the folder."""
    replace_text(folder / NOTE, json.dumps(asdict(this_release())))


def noted_release(folder: Path) -> Release | None:
    """Return the release that a data folder was last started with, None if none is noted."""
    try:
        return Release(**json.loads((folder / NOTE).read_text("utf-8")))
    except FileNotFoundError:
        return None
