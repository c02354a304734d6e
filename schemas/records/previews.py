"""What people are shown of a page while they choose what of it is watched."""

from dataclasses import dataclass
from typing import Any

from schemas.records.views import Selector


@dataclass(frozen=True, slots=True)
class PageCopy:
    """A page as HTML that loads and runs nothing; each element has its number as ``data-n``.

    ``is_cut`` says that the page is larger than what is shown.
    """

    html: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class PreviewQuery:
    """What is asked of a page apart from what a trial is.

    ``others`` are selectors that are not chosen, of which it is said what they would find.
    ``known`` is the id of the copy that is shown already, empty for none. ``picked`` is the
    number of an element in it, for which selectors are sought; with ``by_quote``, its quote is
    chosen if there is one.
    """

    others: tuple[Selector, ...] = ()
    known: str = ""
    picked: int | None = None
    by_quote: bool = False


@dataclass(frozen=True, slots=True)
class PickedPart:
    """The selectors for an element that was picked; None for what it has not."""

    css: Selector | None
    quote: Selector | None

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Those that there are."""
        return tuple(each for each in (self.css, self.quote) if each is not None)


@dataclass(frozen=True, slots=True)
class CopiedPage:
    """What a process makes of a page to be picked from.

    ``copy_id`` changes with the page, and is empty if it is no HTML; ``copy`` is None if it is
    known already. ``found`` are the numbers of the elements that CSS selectors find.
    """

    copy_id: str = ""
    copy: PageCopy | None = None
    found: tuple[int, ...] = ()
    picked: PickedPart | None = None


NO_COPY = CopiedPage()


@dataclass(frozen=True, slots=True)
class Preview:
    """A tried page by REST's names, and what is picked from it."""

    seen: dict[str, Any]
    page: CopiedPage
