"""Who is told, of what."""

from dataclasses import dataclass

from schemas.facts import Diff

Match = Diff
"""A passage with a keyword: ``event`` (added, removed), ``keyword``, ``text``, ``snippet``."""


@dataclass(frozen=True, slots=True)
class Session:
    """A client of a manager, by a name of 1 to 256 characters that is unique in that manager."""

    id: str
