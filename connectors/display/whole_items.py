"""Entries for people say an item as a whole, and its title once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from connectors.display.shortening import MAX_LINE
from schemas.records.changes import Diff, Marked, Marks, Span

_WORDS = 5
"""Words of a title, at least: a state or a label may be a heading, too."""


def with_whole_line(diff: Diff) -> Diff:
    r"""Return an entry with its line as the text, if all of a short line changed.

    >>> marks = Marks(Marked(), Marked((Span(0, 6), Span(7, 15))))
    >>> with_whole_line(Diff("added", "Io", "So is Io", "Argus! So is Io\nRome", marks=marks)).text
    'Argus! So is Io'
    """
    text, snippet, changed = diff.text, diff.snippet, diff.marks.snippet.changed
    start = next((each.start for each in changed if snippet.startswith(text, each.start)), -1)
    if diff.change not in ("added", "removed") or start < 0 or {*text} & {*"\n\t"}:
        return diff
    low = snippet.rfind("\n", 0, start) + 1
    line = snippet[low:].partition("\n")[0]
    bounds = Span(low, low + len(line))
    if line == text or len(line) > MAX_LINE or _unchanged(snippet, bounds, changed).strip():
        return diff
    marks = Marks(
        Marked(_within(changed, bounds), _within(diff.marks.snippet.keyword, bounds)),
        diff.marks.snippet,
    )
    return replace(diff, text=line, marks=marks)


def _unchanged(text: str, bounds: Span, changed: Sequence[Span]) -> str:
    at, found = bounds.start, ""
    for each in changed:
        if each.end > at and each.start < bounds.end:
            found += text[at : each.start]
            at = each.end
    return found + text[at : bounds.end]


def _within(spans: Iterable[Span], bounds: Span) -> tuple[Span, ...]:
    low, high = bounds.start, bounds.end
    return tuple(
        Span(max(each.start, low) - low, min(each.end, high) - low)
        for each in spans
        if each.end > low and each.start < high
    )


def without_titles(groups: Sequence[list[Diff]]) -> list[list[Diff]]:
    """Leave out each title that another entry has as well, above its text or in it.

    Both came, or both went, and have the keyword.
    """
    said = {
        (diff.change, diff.keyword, line)
        for diff in (each for group in groups for each in group)
        for line in (*diff.headings[-1:], *_lines(diff.text))
    }
    return [group for group in groups if not all(_is_title(diff, said) for diff in group)]


def _lines(text: str) -> Sequence[str]:
    """Return the lines of a text of several."""
    return text.split("\n") if "\n" in text else ()


def _is_title(diff: Diff, said: set[tuple[str, str, str]]) -> bool:
    is_long = diff.text.count(" ") >= _WORDS - 1
    return diff.change != "edited" and is_long and (diff.change, diff.keyword, diff.text) in said
