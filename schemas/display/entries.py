"""What people are shown of the entries of a notification."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from schemas.changes import Diff, Span
from schemas.display.runs import Line, Run, RunKind, is_keyword, is_marked, line_of, with_keywords
from schemas.display.sentences import edited_lines
from schemas.display.shortening import MAX_LINE, shortened
from schemas.kinds import ChangeKind

MAX_ENTRIES = 50
"""Entries of a notification that are shown."""


class ShownEntry(NamedTuple):
    """An entry for people: what happened to which keywords, below which headings, in which words.

    ``lines`` are one or two, each of marked runs.
    """

    change: ChangeKind
    keywords: tuple[str, ...]
    headings: tuple[str, ...]
    lines: tuple[Line, ...]
    link: str


def shown_entries(diffs: Iterable[Diff], most: int = MAX_ENTRIES) -> tuple[list[ShownEntry], int]:
    """Return the first entries for people, and how many more there are.

    The two sides of an edit, and the keywords that it concerns, are one entry.

    >>> edit = Diff("added", "price", "€8", "Price: €8", "edited", "Price: €9", "Price: €8")
    >>> [run.text for run in shown_entries([edit])[0][0].lines[0]]
    ['Price: ', '€9', ' → ', '€8']
    """
    found = _together(diffs)
    return list(map(_entry, found[:most])), max(0, len(found) - most)


def _together(diffs: Iterable[Diff]) -> list[list[Diff]]:
    """Return entries, those of one edit together."""
    found: dict[object, list[Diff]] = {}
    for number, diff in enumerate(diffs):
        is_edit = diff.change == "edited"
        key = (diff.before, diff.after, diff.headings) if is_edit else number
        found.setdefault(key, []).append(diff)
    return list(found.values())


def _entry(diffs: Sequence[Diff]) -> ShownEntry:
    first = diffs[0]
    return ShownEntry(
        change=first.change,
        keywords=tuple(dict.fromkeys(diff.keyword for diff in diffs)),
        headings=tuple(" ".join(heading.split()) for heading in first.headings),
        lines=_edited(diffs) if first.change == "edited" else (_snippet(first),),
        link=next((diff.link for diff in diffs if diff.link), ""),
    )


def _edited(diffs: Sequence[Diff]) -> tuple[Line, ...]:
    keywords = {
        diff.text[span.start : span.end] for diff in diffs for span in diff.marks.text.keyword
    }
    lines = edited_lines(diffs[0].before, diffs[0].after)
    return tuple(with_keywords(line, keywords) for line in lines)


def _snippet(diff: Diff) -> Line:
    """Return a snippet, cut around the keyword, or else around what changed."""
    marked = diff.marks.snippet
    changed: RunKind = "removed" if diff.event == "removed" else "added"
    line = line_of(
        Run(
            diff.snippet[start:end],
            changed if diff.change != "moved" and _within(marked.changed, start) else "same",
            keyword=_within(marked.keyword, start),
        )
        for start, end in pairwise(_borders(diff))
    )
    return shortened(line, 2 * MAX_LINE, is_keyword if marked.keyword else is_marked)


def _borders(diff: Diff) -> list[int]:
    """Return where marks begin and end in a snippet, and where it does."""
    spans = (*diff.marks.snippet.changed, *diff.marks.snippet.keyword)
    size = len(diff.snippet)
    ends = {min(end, size) for span in spans for end in (span.start, span.end)}
    return sorted({0, size} | ends)


def _within(spans: Iterable[Span], offset: int) -> bool:
    return any(span.start <= offset < span.end for span in spans)
