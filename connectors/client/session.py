"""Sessions and the matches that they are notified of."""

from dataclasses import dataclass

from schemas.changes import Diff

Match = Diff
"""A changed passage: ``event`` (added, removed), ``keyword``, ``text``, ``snippet`` and more."""


@dataclass(frozen=True, slots=True)
class Session:
    """A client of a manager; its id has 1 to 256 characters and is unique in that manager.

    >>> Session("client-1").id
    'client-1'
    """

    id: str
