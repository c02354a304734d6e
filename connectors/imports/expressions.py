"""Expressions of other tools: as keywords where they are plain words, or as patterns; and jq."""

import re
from dataclasses import dataclass

from schemas.records.views import MAX_PATTERN

_SLASHED = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)
_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
_SPECIAL = re.compile(r"[][\\.^$*+?{}()|]")
_GROUP = re.compile(r"\((?:\?:)?([^()]*)\)")
_BETWEEN = re.compile(r"\\s\+?(?![*?{])")
"""White space between words."""
_ESCAPED = re.compile(r"\\([^\w\s])")
_BLANK = r"(?:(?:\\s|\\t|\\h|[ \t]|\[(?:\\s|\\t|[ \t])+\])(?:[+*]\??|\{[0-9]+(?:,[0-9]*)?\})?)+"
_INDENT = re.compile(rf"(?<![\\\[])\^{_BLANK}")
_FIRST_BLANK = re.compile(rf"\A{_BLANK}")
_LAST_BLANK = re.compile(rf"{_BLANK}(?=\$(?:\)|\||\Z))")
_COMMON_FLAGS = frozenset("ims")
"""Flags with the same meaning in Python and in RE2."""
MAX_KEYWORDS, MAX_KEYWORD = 100, 256

NO_JQ = "jq computes what it prints, and a JSONPath only finds it; one may find the same"
_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_]\w*)|\.(?P<key>"[^"\\]*")|\.?\[(?P<inside>-?\d+|"[^"\\]*"|)\]""",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class TextRule:
    """A rule for lines of text: an expression and its flags."""

    expression: str
    flags: str = ""

    @property
    def ignores_case(self) -> bool:
        """Whether upper and lower case are alike."""
        return "i" in self.flags

    @property
    def keywords(self) -> tuple[str, ...]:
        r"""The keywords for the same words; none if the expression is more than words.

        Example:
            >>> TextRule("Argus Panoptes|Hera").keywords, TextRule(r"\d+ giants").keywords
            (('"Argus Panoptes"', 'Hera'), ())
        """
        expression = _BETWEEN.sub(" ", self.expression.replace(r"\b", ""))
        group = _GROUP.fullmatch(expression)
        parts = [_plain(each) for each in (group[1] if group else expression).split("|")]
        found = [each for each in parts if each is not None]
        return tuple(found) if len(found) == len(parts) <= MAX_KEYWORDS else ()

    @property
    def pattern(self) -> str | None:
        r"""The expression with its flags; None if they mean something in Python alone.

        Example:
            >>> TextRule(r"\d+ giants", "i").pattern
            '(?i)\\d+ giants'
        """
        if set(self.flags) - _COMMON_FLAGS:
            return None
        expression = _without_indents(self.expression)
        return f"(?{self.flags}){expression}" if self.flags else expression

    @property
    def line_pattern(self) -> str | None:
        r"""The same for the whole line around each match.

        Example:
            >>> TextRule("giants", "i").line_pattern
            '(?im)^[^\\n]*(?:giants)[^\\n]*$'
        """
        flags = "".join(sorted({*self.flags, "m"}))
        expression = _FIRST_BLANK.sub(r"(?:^|[ \\t])", self.expression)
        return TextRule(f"^[^\\n]*(?:{expression})[^\\n]*$", flags).pattern


def literal_rule(text: str, flags: str = "") -> TextRule:
    r"""Return the rule for a literal text.

    Example:
        >>> literal_rule("2 + 2").expression
        '2 \\+ 2'
    """
    return TextRule(_SPECIAL.sub(r"\\\g<0>", text), flags)


def python_rule(expression: str) -> TextRule:
    """Return the rule of a Python expression, which may begin with flags.

    Example:
        >>> python_rule("(?i)summer menu")
        TextRule(expression='summer menu', flags='i')
    """
    flags = _FLAGS.match(expression)
    return TextRule(expression[flags.end() :], flags[1]) if flags else TextRule(expression)


def slashed_rule(text: str) -> TextRule:
    r"""Return the rule of changedetection.io's form: a text, or an expression between slashes.

    Example:
        >>> slashed_rule("/giants?/"), slashed_rule("giants?")
        (TextRule(expression='giants?', flags='i'), TextRule(expression='giants\\?', flags='i'))
    """
    slashed = _SLASHED.fullmatch(text)
    if slashed is None:
        return literal_rule(text, "i")
    return TextRule(slashed[1], slashed[2] or "i")


def _without_indents(expression: str) -> str:
    r"""Return an expression without blanks at the ends of lines: a text has none there.

    >>> _without_indents(r"^\s+Active \d+ days\s+$")
    '^[ \\t]*Active \\d+ days[ \\t]*$'
    """
    if len(expression) > MAX_PATTERN:
        return expression  # it is refused
    return _LAST_BLANK.sub(r"[ \\t]*", _INDENT.sub(r"^[ \\t]*", expression))


def _plain(expression: str) -> str | None:
    """Return an alternative without special characters as a keyword, None for any other."""
    words = " ".join(_ESCAPED.sub("", expression).split())
    if _SPECIAL.search(words) or not re.search(r"\w", words):
        return None
    text = " ".join(_ESCAPED.sub(r"\1", expression).replace('"', " ").split())
    keyword = f'"{text}"' if re.search(r"[^\w]", text) else text
    return keyword if len(keyword) <= MAX_KEYWORD else None


def json_path_of_jq(query: str) -> str | None:
    """Return the JSONPath for the same values as a path of jq, None if the query is no path.

    Example:
        >>> json_path_of_jq(".items[].price"), json_path_of_jq(".items | length")
        ('$.items[*].price', None)
    """
    text = query.strip()
    if text == ".":
        return "$"
    path, at = "$", 0
    while text.startswith(".") and at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        name, inside = step["name"], step["key"] or step["inside"] or "*"
        path, at = path + (f".{name}" if name else f"[{inside}]"), step.end()
    return path if at else None
