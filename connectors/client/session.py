"""Sessions and their matches."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from schemas.records.changes import Diff, Returned
from schemas.records.numbers import NumberNews
from schemas.records.waiting import Stood

Match = Diff
"""A changed passage: ``event`` (added, removed), ``keyword``, ``text``, ``snippet`` and more."""


@dataclass(frozen=True, slots=True)
class Session:
    """A client of a manager; its id has 1 to 256 characters and is unique in the manager.

    >>> Session("client-1").id
    'client-1'
    """

    id: str


class Matches(tuple[Match, ...]):  # noqa: SLOT001 - a tuple has no room for slots
    """The matches of a notification, in document order, and its facts about the page.

    ``title`` is the page's, empty if there is none; ``returned`` is set if the page went back to an
    earlier text. ``number`` has the former and the present number, for a view with a number.
    ``stood`` is set for a subscription with patience, ``history`` for a notification by
    ``backfill``. ``document`` is the URL of the page: the subscription's, or a page of its crawl.
    ``name`` is the subscription's, empty if there is none. ``verdict``, ``because`` and ``summary``
    are a language model's, empty without a model.

    >>> Matches([], title="Giants").title
    'Giants'
    """

    title: str
    returned: Returned | None
    number: NumberNews | None
    stood: Stood | None
    history: bool
    document: str
    name: str = ""
    verdict: str = ""
    because: str = ""
    summary: str = ""

    def __new__(
        cls,
        matches: Iterable[Match],
        *,
        title: str = "",
        returned: Returned | None = None,
        number: NumberNews | None = None,
        stood: Stood | None = None,
        history: bool = False,
        document: str = "",
    ) -> Self:
        """Build them from the fields of a notification."""
        self = super().__new__(cls, matches)
        self.title, self.returned, self.number, self.stood = title, returned, number, stood
        self.history, self.document = history, document
        return self
