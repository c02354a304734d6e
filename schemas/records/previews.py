"""Pages that are tried, and their copies from which people choose what is watched."""

from dataclasses import dataclass, replace
from itertools import islice

from schemas.records.changes import Diff
from schemas.records.numbers import NumberReading
from schemas.records.views import Selector, is_by_position

MAX_CHARACTERS = 100_000
"""Characters of a page's text that people are shown."""


@dataclass(frozen=True, slots=True)
class PageCopy:
    """A page as HTML that loads and runs nothing; each element has its number as ``data-n``.

    ``is_cut`` says that the page is larger than what is shown.
    """

    html: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class PreviewQuery:
    """Questions about a page, besides those of a trial.

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
class PickedItem:
    """An item of a list that was picked: the ``nth`` of ``count``, and a selector for it alone."""

    nth: int
    count: int
    alone: Selector | None


@dataclass(frozen=True, slots=True)
class PickedPart:
    """The selectors for an element that was picked; None for what it has not.

    Of an ``item``, ``css`` finds the whole list. ``found`` are the numbers of the elements that
    ``css`` finds, ``wider`` and ``narrower`` those of the elements around it and inside.
    """

    css: Selector | None
    quote: Selector | None
    item: PickedItem | None = None
    found: tuple[int, ...] = ()
    wider: int | None = None
    narrower: int | None = None

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """Those that there are, the one that holds best first: a position comes last."""
        has_position = self.css is not None and is_by_position(self.css.css or "")
        both = (self.quote, self.css) if has_position else (self.css, self.quote)
        return tuple(each for each in both if each is not None)


@dataclass(frozen=True, slots=True)
class CopiedPage:
    """A page to be picked from, as a process has read it.

    ``copy_id`` changes with the page, and is empty if it is no HTML; ``copy`` is None if it is
    known already. ``found`` are the numbers of the elements that CSS selectors find. ``feed`` is
    the address of a feed that the page links to, as it is written there.
    """

    copy_id: str = ""
    copy: PageCopy | None = None
    found: tuple[int, ...] = ()
    picked: PickedPart | None = None
    feed: str = ""


NO_COPY = CopiedPage()


@dataclass(frozen=True, slots=True)
class SelectorResult:
    """The finds of one selector by itself: so many lines, or the reason for none.

    ``confidence`` (0 to 1) is how much of a quote is the same; ``doubt`` says why it may not find
    the same after a change.
    """

    position: str
    selector: Selector
    lines: int = 0
    first: str = ""
    reason: str = ""
    doubt: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class IgnoredText:
    """The matches of one pattern of a view, removed from the text: their number, and the first."""

    position: str
    pattern: str
    matches: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as a view reads it; ``reason`` says why it cannot, and then there is no text.

    ``matches`` are the entries of a notification if all of the text were new; ``more`` says
    that there are others. ``read_ms`` is of CPU, 0 if the page was not read to its end.
    """

    status: int = 0
    url: str = ""
    content_type: str = ""
    bytes: int = 0
    reason: str = ""
    read_as: str = ""
    language: str = ""
    title: str = ""
    text: str = ""
    number: NumberReading | None = None
    selectors: tuple[SelectorResult, ...] = ()
    ignored: tuple[IgnoredText, ...] = ()
    matches: tuple[Diff, ...] = ()
    more: bool = False
    fetch_ms: int = 0
    read_ms: int = 0


@dataclass(frozen=True, slots=True)
class Preview:
    """A tried page, and what is picked from it."""

    seen: SeenPage
    page: CopiedPage = NO_COPY


def first_lines(seen: SeenPage, lines: int, characters: int) -> tuple[SeenPage, int]:
    r"""Return the page with the first lines of its text, and how many lines it has in all.

    >>> first_lines(SeenPage(text="a\nb\nc"), 2, 100)[0].text
    'a\nb'
    """
    every = seen.text.split("\n") if seen.text else []
    text = "\n".join(islice(every, lines))[:characters]
    return replace(seen, text=text), len(every)
