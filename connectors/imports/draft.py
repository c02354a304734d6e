"""A watch of another tool on its way to a request, with what became of each part of it."""

from dataclasses import dataclass, field
from typing import Any, Literal

from schemas.fields import record_fields
from schemas.views import Selector, ViewOptions

VIEW_FIELDS = frozenset(each.json_name for each in record_fields(ViewOptions))
LANGUAGES = frozenset(each.json_name for each in record_fields(Selector))
Tool = Literal["changedetection", "urlwatch", "webchanges"]
"""The tools whose watches can be imported."""
REPEATED = "repeated lines stay, and a change of one is a change"
MAX_SHOWN = 100
"""Characters of a value of the file in a sentence."""


class UnreadableImport(ValueError):
    """The file is none of its tool, or is too large; the text says why."""


@dataclass(frozen=True, slots=True)
class ImportedWatch:
    """A watch as Vokter takes it; ``request`` is None if it cannot.

    The request has no receiver yet. The rest are plain sentences: what became which field of
    the request, what works in another way, and what was left out and why.
    """

    key: str
    name: str
    request: dict[str, Any] | None
    took: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """Collects the request of one watch, and what to say about it.

    Example:
        >>> draft = Draft("1", "Giants")
        >>> draft.selector("css: #price", "select", "css", "#price")
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
        """Set a field of the view, or add to it if it is a list or an object."""
        if ours not in VIEW_FIELDS:
            self.leave(theirs, f"this release has no view.{ours}")
            return
        known = self.view_fields.get(ours)
        if isinstance(known, list):
            value = known + [each for each in value if each not in known]
        elif isinstance(known, dict):
            value = known | value
        self.view_fields[ours] = value
        self.took.append(f"{theirs} became view.{ours}.")

    def selector(self, theirs: str, ours: str, language: str, text: str) -> None:
        """Add a selector to the view."""
        if language in LANGUAGES:
            self.view(theirs, ours, [{language: text}])
        else:
            self.leave(theirs, f"this release has no {language} in view.{ours}")

    def need_none(self, theirs: str, why: str) -> None:
        """Say that something is so in Vokter without being asked for."""
        self.took.append(f"{theirs} needs no field: {why}.")

    def differ(self, theirs: str, how: str) -> None:
        """Say what works in another way than in the tool."""
        self.differs.append(f"{theirs}: {how}.")

    def leave(self, theirs: str, why: str) -> None:
        """Say what was left out, and why."""
        self.left.append(f"{theirs}: {why}.")

    def finished(self, url: str | None) -> ImportedWatch:
        """Return the watch; without a URL it has no request."""
        request = None
        if url is not None:
            request = {"documentUrl": url, "keywords": ["*"], **self.fields}
            if self.view_fields:
                request["view"] = self.view_fields
        said = [tuple(dict.fromkeys(each)) for each in (self.took, self.differs, self.left)]
        return ImportedWatch(self.key, self.name, request, *said)


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
