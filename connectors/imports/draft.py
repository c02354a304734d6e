"""A watch of another tool on its way to a request, with the outcome of each part."""

import re
from dataclasses import dataclass, field
from typing import Any

from connectors.readers.selector_syntax import GRAMMARS
from schemas.codec.json_values import InvalidRequestBody, nested_value
from schemas.codec.validity import fault
from schemas.records.names import MAX_SUBSCRIPTION_NAME, canonical_name
from schemas.records.subscriptions import Options
from schemas.records.tags import MAX_TAGS, TAGS_ALLOWED, canonical_tags
from schemas.records.views import ViewOptions

_WORDS = re.compile(r"(?<!\\)(?:\\\\)*\\[wWbB]")
"""Syntax with less meaning in RE2 than in Python."""
REPEATED = "repeated lines stay, and a change of one is a change"
MAX_DIGITS = 18
"""Digits of a number in the file: of 64 bits."""
MAX_SHOWN = 100
"""Characters of a value of the file in a sentence."""


class UnreadableImport(ValueError):
    """The file is none of its tool, or is too large; the text says why."""


@dataclass(frozen=True, slots=True)
class ImportedWatch:
    """A watch as imported; ``request`` is None if not possible.

    The request has no receiver yet. The rest are plain sentences: the fields of the request, the
    differences, and the omissions with their reasons.
    """

    key: str
    name: str
    request: dict[str, Any] | None
    took: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """Collects the request of a watch, and the remarks.

    Example:
        >>> draft = Draft("1", "Giants")
        >>> draft.view("css: #price", "select", [{"css": "#price"}])
        >>> draft.finished("https://example.org/").took
        ('css: #price became view.select.',)
    """

    key: str
    name: str
    fields: dict[str, Any] = field(default_factory=dict)
    view_fields: dict[str, Any] = field(default_factory=dict)
    took: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def take(self, theirs: str, ours: str, value: Any) -> None:
        """Set a field of the request."""
        self.fields[ours] = value
        self.took.append(f"{theirs} became {ours}.")

    def view(self, theirs: str, ours: str, value: Any) -> None:
        """Set a field of the view, or add to a list or an object."""
        whole, known = value, self.view_fields.get(ours)
        if isinstance(known, list):
            whole = known + [each for each in value if ours == "steps" or each not in known]
        elif isinstance(known, dict):
            whole = known | value
        why = _field_fault(ours, whole) or _grammar_fault(ours, value)
        if why is None:
            self.view_fields[ours] = whole
            self.took.append(f"{theirs} became view.{ours}.")
        else:
            self.leave(theirs, why)

    def tags(self, theirs: str, given: list[str]) -> None:
        """Group the subscription by these tags; a comma inside becomes a blank."""
        several = canonical_tags(each.replace(",", " ") for each in given)
        tags = [each for each in several if fault(Options(tags=(each,))) is None][:MAX_TAGS]
        if tags:
            self.take(theirs, "tags", tags)
        for each in several:
            if each not in tags:
                self.leave(f"{theirs} {shown(each)}", f"{TAGS_ALLOWED} are allowed")

    def called(self, theirs: str, given: Any) -> None:
        """Name the subscription as the watch is, as far as a name may be long."""
        name = canonical_name("".join(filter(str.isprintable, " ".join(str(given or "").split()))))
        if name:
            self.take(theirs, "name", name[:MAX_SUBSCRIPTION_NAME].rstrip())

    def ignore(self, theirs: str, pattern: str | None) -> None:
        """Ignore the matches of a pattern; otherwise its flags mean something in Python alone."""
        if pattern is None:
            self.leave(theirs, "its flags are Python's")
            return
        self.view(theirs, "ignore", [pattern])
        if pattern in self.view_fields.get("ignore", ()) and _WORDS.search(pattern):
            self.differ(theirs, r"\w and \b know the letters of ASCII alone")

    def need_none(self, theirs: str, why: str) -> None:
        """Note an option which is always on in Vokter."""
        self.took.append(f"{theirs} needs no field: {why}.")

    def differ(self, theirs: str, how: str) -> None:
        """Note a difference from the tool."""
        self.differs.append(f"{theirs}: {how}.")

    def leave(self, theirs: str, why: str) -> None:
        """Note an omission, and its reason."""
        self.left.append(f"{theirs}: {why}.")

    def finished(self, url: str | None) -> ImportedWatch:
        """Return the watch; without a URL the watch has no request."""
        request = None
        if self.view_fields.get("render") and self.view_fields.get("headers"):
            self.differ(
                "headers", "a browser sends them for documents of the page's own site alone"
            )
        if url is not None:
            request = {"documentUrl": url, "keywords": ["*"], **self.fields}
            if self.view_fields:
                request["view"] = self.view_fields
        said = [tuple(dict.fromkeys(each)) for each in (self.took, self.differs, self.left)]
        return ImportedWatch(self.key, self.name, request, *said)


def _field_fault(name: str, value: Any) -> str | None:
    """Return why a field of a view cannot have a value, None if valid."""
    try:
        wanted = fault(nested_value(ViewOptions, {name: value}, "view"))
    except InvalidRequestBody as error:
        return str(error)
    return None if wanted is None else f"view.{name}: {wanted} are allowed"


def _grammar_fault(name: str, value: Any) -> str | None:
    """Return why a selector or a pattern in a list cannot be used, None if all can."""
    pairs: list[tuple[str, Any]] = []
    for each in value if isinstance(value, list) else ():
        pairs += each.items() if isinstance(each, dict) else [(name, each)]
        if isinstance(each, dict) and "xpath" in each:
            pairs.append((name, each["xpath"]))
    faults = (GRAMMARS[kind](text) for kind, text in pairs if kind in GRAMMARS)
    return next(filter(None, faults), None)


def shown(value: Any) -> str:
    """Return a value of the file for a sentence, shortened.

    Example:
        >>> shown("a" * 200).endswith("a…")
        True
    """
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def texts(value: Any) -> list[str]:
    """Return the texts of a list, or of a single text; the file may hold anything.

    Example:
        >>> texts(["a", 5, " ", None]), texts("b"), texts(None)
        (['a', '5'], ['b'], [])
    """
    several = value if isinstance(value, list) else [value]
    plain = [str(each).strip() for each in several if isinstance(each, str | int | float)]
    return [each for each in plain if each]


def whole_number(text: str) -> int | None:
    """Return the number that a text of decimal digits is, None for another or a longer text.

    Example:
        >>> whole_number("90"), whole_number("-1"), whole_number("9" * 20)
        (90, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None
