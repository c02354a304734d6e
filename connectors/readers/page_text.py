"""The input and the result of a reader."""

from dataclasses import dataclass, replace

from schemas.records.answers import Heading
from schemas.records.numbers import NumberReading


@dataclass(frozen=True, slots=True)
class RawPage:
    """A document as received, with the declared charset, and its URL if known."""

    body: bytes
    charset: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a document before its normalization, with its title and headings.

    ``confidence`` and ``number`` are those of Reading. ``language`` is the declared tag of the
    document (empty if none), ``zxx`` for values written for programs. ``reader`` is that of
    Reading. ``doubts`` name, for people, other values of its numbers.
    """

    text: str
    title: str = ""
    headings: tuple[Heading, ...] = ()
    confidence: float | None = None
    language: str = ""
    number: NumberReading | None = None
    reader: str = ""
    doubts: tuple[str, ...] = ()

    def with_title(self, title: str, language: str = "") -> "PageText":
        r"""Return the page with a title, or with its first heading instead of a blank title.

        ``language`` is the declared tag of the document.

        Example:
            >>> PageText("Gods\nZeus", headings=(Heading(0, 1),)).with_title(" ").title
            'Gods'
        """
        return replace(self, title=title.strip() or self._first_heading(), language=language)

    def _first_heading(self) -> str:
        start = next((each.start for each in self.headings if each.level == 1), None)
        return "" if start is None else self.text[start:].partition("\n")[0]
