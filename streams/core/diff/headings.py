"""The headings above a place of a document."""

from bisect import bisect_left
from collections.abc import Sequence

from schemas.answers import Heading

_MOST = 3
_MAX_LENGTH = 200


class Headings:
    """The headings of one text, each with those above it."""

    def __init__(self, text: str, headings: Sequence[Heading]) -> None:
        """``headings`` are in document order."""
        self._starts = [heading.start for heading in headings]
        self._chains: list[tuple[str, ...]] = []
        above: list[tuple[int, str]] = []
        for heading in headings:
            while above and above[-1][0] >= heading.level:
                above.pop()
            above.append((heading.level, _line(text, heading.start)))
            self._chains.append(tuple(line for _, line in above[-_MOST:]))

    def above(self, at: int) -> tuple[str, ...]:
        """Return the nearest headings above an offset, the outermost first.

        With ``# Law``, ``## Fines`` above an offset, they are ``("Law", "Fines")``.
        """
        number = bisect_left(self._starts, at)
        return self._chains[number - 1] if number else ()


def _line(text: str, start: int) -> str:
    end = text.find("\n", start, start + _MAX_LENGTH)
    return text[start : end if end >= 0 else start + _MAX_LENGTH].strip()
