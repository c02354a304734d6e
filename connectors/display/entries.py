"""Entries of a notification, as people are shown them."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from connectors.display.directions import arrow, direction
from connectors.display.item_fields import items_of
from connectors.display.replaced_lines import is_replaced, with_replaced
from connectors.display.runs import (
    Line,
    Run,
    RunKind,
    is_keyword,
    is_marked,
    line_of,
    line_text,
    one_line,
    with_keywords,
)
from connectors.display.sentences import edited
from connectors.display.shortening import MAX_LINE, shortened
from connectors.display.whole_items import with_whole_line, without_titles
from connectors.languages.texts import gettext, msgid
from schemas.records.changes import Diff, Edit, Marked, Span
from schemas.records.field_types import ChangeKind

MAX_ENTRIES = 10
"""The most entries of a notification for people, in mail and chat, in feeds and on the page."""

REMARKS = {
    "numbers": msgid("only numbers changed"),
    "times": msgid("only times changed"),
    "ids": msgid("only ids changed"),
    "form": msgid("only form changed"),
}
"""The text for people of each kind of noise."""
CHANGES = {
    "added": msgid("added"),
    "removed": msgid("removed"),
    "edited": msgid("edited"),
    "moved": msgid("moved"),
}
"""The name for people of each kind of change."""
STATE_WORDS = 4
"""Words of a state at most."""
DROPPED = msgid("pushed off the end of a list")

Lines = tuple[Line, ...]
"""The lines of an entry."""


class ShownEntry(NamedTuple):
    """An entry for people: the kind of change, the keywords, the headings, and the words.

    ``lines`` are one or two, each of marked runs: a passage with its context; or several fields of
    an item. ``plain`` are without context, for displays without marks, and ``now`` is the passage,
    or the new text of an edited sentence. ``remark`` names noise, or an entry pushed off the end of
    its list by new entries.
    """

    change: ChangeKind
    remark: str
    keywords: tuple[str, ...]
    headings: tuple[str, ...]
    lines: Lines
    plain: Lines
    now: Line
    link: str

    def labelled(self, label: str) -> str:
        """Return the name of the change, with the remark if any."""
        return f"{label} ({self.remark})" if self.remark else label


def shown_entries(diffs: Iterable[Diff], most: int = MAX_ENTRIES) -> tuple[list[ShownEntry], int]:
    """Return the first entries for people, and how many more there are.

    The two sides of an edit, and the keywords of an edit or a passage, are a single entry, and so
    are the fields of an item with equal changes. A repeated sentence is shown once, and so is the
    title of an item.

    >>> edit = Diff("added", "price", "€8", "Price: €8", "edited", "Price: €9", "Price: €8")
    >>> [run.text for run in shown_entries([edit])[0][0].lines[0]]
    ['Price: ', '€9', ' → ', '€8']
    """
    groups = without_titles(_together(map(with_whole_line, diffs)))
    found = list(items_of(with_replaced(groups)))
    entries = [_of_item([_entry(field) for field in item]) for item in found[:most]]
    return entries, max(0, len(found) - most)


def _together(diffs: Iterable[Diff]) -> list[list[Diff]]:
    """Return entries, those of an edit or a passage together, and each sentence once.

    A state, such as "Sold out", differs from item to item.
    """
    found: dict[object, list[Diff]] = {}
    places: dict[object, object] = {}
    for diff in diffs:
        is_edit = diff.change == "edited"
        sides = (diff.before, diff.after) if is_edit else (diff.text, diff.snippet)
        place = diff.change, sides, diff.headings
        said = diff.change, sides if is_edit else diff.text, diff.event, diff.keyword
        if diff.text.count(" ") < STATE_WORDS or places.setdefault(said, place) == place:
            found.setdefault(place, []).append(diff)
    return list(found.values())


def _of_item(fields: Sequence[ShownEntry]) -> ShownEntry:
    first, *rest = fields
    if not rest:
        return first
    between: Line = (Run(" · "),)
    return first._replace(
        remark=first.remark if all(each.remark == first.remark for each in rest) else "",
        keywords=tuple(dict.fromkeys(chain.from_iterable(each.keywords for each in fields))),
        lines=tuple(chain.from_iterable(each.lines for each in fields)),
        plain=tuple(chain.from_iterable(each.plain for each in fields)),
        now=(*first.now, *chain.from_iterable((*between, *each.now) for each in rest)),
    )


def _entry(diffs: Sequence[Diff]) -> ShownEntry:
    first, shown = diffs[0], _shown(diffs)
    return ShownEntry(
        change="edited" if is_replaced(diffs) else first.change,
        remark=remark_of(first),
        keywords=tuple(dict.fromkeys(diff.keyword for diff in diffs)),
        headings=tuple(" ".join(heading.split()) for heading in first.headings),
        lines=shown.lines,
        plain=shown.plain,
        now=shown.now,
        link=next((diff.link for diff in diffs if diff.link), ""),
    )


def remark_of(edit: Diff | Edit) -> str:
    """Return why a change may be no news, for people; empty if nothing says so."""
    remark = DROPPED if edit.dropped else REMARKS.get(edit.noise, "")
    return gettext(remark) if remark else ""


def change_name(change: str) -> str:
    """Return the name of a kind of change for people."""
    return gettext(CHANGES[change])


class _Shown(NamedTuple):
    lines: Lines
    plain: Lines
    now: Line


def _shown(diffs: Sequence[Diff]) -> _Shown:
    first = diffs[0]
    if is_replaced(diffs):
        was, now = _side(diffs, "removed"), _side(diffs, "added")
        texts = line_text(was), line_text(now)
        line = (*was, Run(f" {arrow(*texts, direction(''.join(texts)))} "), *now)
        return _Shown((line,), (line,), now)
    if first.change != "edited":
        return _passage(diffs)
    keywords = {
        diff.text[span.start : span.end] for diff in diffs for span in diff.marks.text.keyword
    }
    shown = edited(first.before, first.after)
    lines = tuple(with_keywords(line, keywords) for line in shown.inline)
    if keywords and not any(map(is_keyword, chain.from_iterable(lines))):
        lines = (*lines[:-1], (*lines[-1], *_around_keyword(first, keywords)))
    return _Shown(lines, lines, shown.now)


def _side(diffs: Sequence[Diff], kind: RunKind) -> Line:
    line = _passage([diff for diff in diffs if diff.change == kind]).now
    return tuple(run._replace(kind=kind) for run in line)


def _around_keyword(edit: Diff, keywords: Collection[str]) -> Iterable[Run]:
    """Return a keyword with some words around, from a sentence too long for display."""
    for text in (edit.after, edit.before):
        line = with_keywords((Run(one_line(text)),), keywords)
        if any(map(is_keyword, line)):
            return Run(" / "), *shortened(line, MAX_LINE // 2, is_keyword)
    return ()


def _passage(diffs: Sequence[Diff]) -> _Shown:
    """Return a passage with its context, and without."""
    first = diffs[0]
    snippet = _marked(first, first.snippet, [diff.marks.snippet for diff in diffs])
    text = _marked(first, first.text, [diff.marks.text for diff in diffs])
    return _Shown((snippet,), (text,), text)


def _marked(diff: Diff, text: str, marked: Sequence[Marked]) -> Line:
    """Return a text, cut around the keywords, or else around the change."""
    kind: RunKind = "removed" if diff.event == "removed" else "added"
    moved = diff.change == "moved"
    changed = _covered(text, () if moved else (span for each in marked for span in each.changed))
    asked = _covered(text, (span for each in marked for span in each.keyword))
    characters = zip(text, changed, asked, strict=True)
    line = line_of(
        Run("".join(each[0] for each in run), kind if in_change else "same", keyword=in_keyword)
        for (in_change, in_keyword), run in groupby(characters, lambda each: each[1:])
    )
    return shortened(line, 2 * MAX_LINE, is_keyword if any(asked) else is_marked)


def _covered(text: str, spans: Iterable[Span]) -> list[bool]:
    """Return for each character of a text whether in a span."""
    covered = [False] * len(text)
    for span in spans:
        inside = range(*slice(span.start, span.end).indices(len(text)))
        covered[span.start : span.end] = [True] * len(inside)
    return covered
