"""The headings above a place of a document."""

from bisect import bisect_right
from collections.abc import Sequence

from schemas.records.answers import Heading

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

    def above(self, at: int, *, removed: bool = False) -> tuple[str, ...]:
        """Return the nearest headings above an offset, the outermost first.

        With ``# Law``, ``## Fines`` above an offset, they are ``("Law", "Fines")``. Above a heading
        are those that it is under, not the one before it; what was ``removed`` there stood under
        that one.
        """
        number = bisect_right(self._starts, at) - 1
        if number >= 0 and self._starts[number] == at:
            number = number - 1 if removed else self._parents[number]
        found: list[str] = []
        while number >= 0 and len(found) < _MOST:
            found.append(_line(self._text, self._starts[number]))
            number = self._parents[number]
        return tuple(reversed(found))


def _line(text: str, start: int) -> str:
    end = text.find("\n", start, start + _MAX_LENGTH)
    return text[start : end if end >= 0 else start + _MAX_LENGTH].strip()
