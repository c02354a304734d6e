"""Pages on trial, and their copies for people to choose from."""

from dataclasses import dataclass, replace
from itertools import islice

from schemas.records.changes import Diff
from schemas.records.numbers import NumberReading
from schemas.records.views import Selector, is_by_position

MAX_CHARACTERS = 100_000
"""The most characters of a page's text shown to people."""


@dataclass(frozen=True, slots=True)
class PageCopy:
    """A page as HTML without loads and scripts; each element has its number as ``data-n``.

    ``is_cut`` says whether the page is larger than the copy.
    """

    html: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class PreviewQuery:
    """Questions about a page, besides those of a trial.

    ``others`` are further selectors, tried for their matches. ``known`` is the id of the copy
    already shown, empty for none. ``picked`` is the number of an element in the copy, to be given
    selectors; with ``by_quote``, its quote is chosen if any.
    """

    others: tuple[Selector, ...] = ()
    known: str = ""
    picked: int | None = None
    by_quote: bool = False


@dataclass(frozen=True, slots=True)
class PickedItem:
    """A picked item of a list: the ``nth`` of ``count``, and a selector for this item alone."""

    nth: int
    count: int
    alone: Selector | None


@dataclass(frozen=True, slots=True)
class PickedPart:
    """The selectors for a picked element; None for missing selectors.

    Of an ``item``, ``css`` finds the whole list. ``found`` are the numbers of the elements matched
    by ``css``, ``wider`` and ``narrower`` those of the elements around and inside.
    """

    css: Selector | None
    quote: Selector | None
    item: PickedItem | None = None
    found: tuple[int, ...] = ()
    wider: int | None = None
    narrower: int | None = None

    @property
    def selectors(self) -> tuple[Selector, ...]:
        """The selectors, the most stable first: a position comes last."""
        has_position = self.css is not None and is_by_position(self.css.css or "")
        both = (self.quote, self.css) if has_position else (self.css, self.quote)
        return tuple(each for each in both if each is not None)


@dataclass(frozen=True, slots=True)
class CopiedPage:
    """A page to pick from, as read by a process.

    ``copy_id`` changes with the page, and is empty if not HTML; ``copy`` is None if known already.
    ``found`` are the numbers of the elements matched by CSS selectors. ``feed`` is the address of a
    linked feed, as written there.
    """

    copy_id: str = ""
    copy: PageCopy | None = None
    found: tuple[int, ...] = ()
    picked: PickedPart | None = None
    feed: str = ""


NO_COPY = CopiedPage()


@dataclass(frozen=True, slots=True)
class SelectorResult:
    """The matches of a selector alone: so many lines, or the reason for none.

    ``confidence`` (0 to 1) is the unchanged share of a quote; ``doubt`` says why the quote may be
    lost after a change.
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
    """The matches of a pattern of a view, removed from the text: their number, and the first."""

    position: str
    pattern: str
    matches: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as read by a view; without a text, ``reason`` says why.

    ``matches`` are the entries of a notification if all of the text were new; ``more`` says whether
    there are others. ``read_ms`` is of CPU, 0 if the page was not read to its end.
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
    """A page on trial, and its picked part."""

    seen: SeenPage
    page: CopiedPage = NO_COPY


def first_lines(seen: SeenPage, lines: int, characters: int) -> tuple[SeenPage, int]:
    r"""Return the page with the first lines of its text, and the number of all its lines.

    >>> first_lines(SeenPage(text="a\nb\nc"), 2, 100)[0].text
    'a\nb'
    """
    every = seen.text.split("\n") if seen.text else []
    text = "\n".join(islice(every, lines))[:characters]
    return replace(seen, text=text), len(every)
