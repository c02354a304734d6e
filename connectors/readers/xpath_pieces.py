"""The calls and predicates of an XPath, each to be tried by itself.

libxml2 looks for a function at its first call: in a predicate for a missing element, never.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r""" "[^"]*" | '[^']*' | [\w.-]+(?::[\w.-]+)?(?=\s*\() | [()[\]] """, re.VERBOSE
)
_OPERATORS = ("and", "or", "div", "mod")
_AFTER_OPERAND = re.compile(r"""[\w.)\]*"']\s*\Z""")


@dataclass(frozen=True, slots=True)
class XPathPiece:
    """A call, or a predicate with its brackets; ``place`` counts characters from 1."""

    place: int
    text: str

    @property
    def predicate(self) -> str:
        """The conditions of an element, in brackets."""
        return self.text if self.text.startswith("[") else f"[{self.text}]"

    @property
    def is_extension(self) -> bool:
        """Whether the call is of a function with a prefix, unlike those of XPath 1.0."""
        return ":" in self.text.partition("(")[0] and not self.text.startswith("[")


def pieces_of_xpath(expression: str) -> Iterator[XPathPiece]:
    """Yield the calls and predicates of a parsable XPath, inner parts first.

    >>> [each.text for each in pieces_of_xpath("//a[not(@b) and (c)]")]
    ['not(@b)', '[not(@b) and (c)]']
    """
    opened: list[int | None] = []
    name: int | None = None
    for token in _TOKEN.finditer(expression):
        start = token.start()
        match token[0]:
            case "(":
                opened.append(name)
            case "[":
                opened.append(start)
            case ")" | "]":
                begun = opened.pop() if opened else None
                if begun is not None:
                    yield XPathPiece(begun + 1, expression[begun : token.end()])
            case text if text[0] not in "\"'" and not _is_operator(expression, start, text):
                name = start
                continue
        name = None


def _is_operator(expression: str, start: int, text: str) -> bool:
    """Return whether a name before a parenthesis is no function (XPath 1.0, 3.7)."""
    return text in _OPERATORS and bool(_AFTER_OPERAND.search(expression, 0, start))
