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
        self._text = text
        self._starts = [heading.start for heading in headings]
        self._parents: list[int] = []
        above = [-1]
        for number, heading in enumerate(headings):
            while len(above) > 1 and headings[above[-1]].level >= heading.level:
                above.pop()
            self._parents.append(above[-1])
            above.append(number)

    def above(self, at: int) -> tuple[str, ...]:
        """Return the nearest headings above an offset, the outermost first.

        With ``# Law``, ``## Fines`` above an offset, they are ``("Law", "Fines")``.
        """
        number = bisect_left(self._starts, at) - 1
        found: list[str] = []
        while number >= 0 and len(found) < _MOST:
            found.append(_line(self._text, self._starts[number]))
            number = self._parents[number]
        return tuple(reversed(found))


def _line(text: str, start: int) -> str:
    end = text.find("\n", start, start + _MAX_LENGTH)
    return text[start : end if end >= 0 else start + _MAX_LENGTH].strip()
