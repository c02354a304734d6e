"""Findings, which ``vokter doctor`` prints."""

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check, with a remedy unless all is well."""

    level: Level
    about: str
    text: str
    remedy: str = ""


def failed_check(about: str, error: Exception, remedy: str) -> Finding:
    """Return the finding for the error of a check."""
    return Finding(Level.ERROR, about, str(error) or repr(error), remedy)
