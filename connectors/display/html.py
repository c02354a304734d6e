"""Entries as HTML, for feeds and e-mail."""

from collections.abc import Iterable
from html import escape
from itertools import groupby

from connectors.display.entries import MAX_ENTRIES, change_name, shown_entries
from connectors.display.plain import BETWEEN_HEADINGS, harmless, more_line
from connectors.display.runs import Line
from schemas.records.changes import Diff

TAGS = {"removed": "del", "added": "ins"}
_CONTEXT = '<span style="color:#757575">{}</span>'
"""A grey readable on white and on black."""


def entries_html(diffs: Iterable[Diff], most: int = MAX_ENTRIES, language: str = "") -> str:
    """Return the first entries as HTML, a paragraph of three lines at most each, escaped.

    The text around a passage is grey. ``language`` is the page's, empty if unknown.

    >>> entries_html([Diff("added", "argus", "Argus sleeps.", "Argus <b> sleeps.")])
    '<p dir="auto"><span dir="ltr">added</span>: Argus &lt;b&gt; sleeps.</p>'
    """
    entries, more = shown_entries(diffs, most)
    spoken = f' lang="{_escaped(language)}"' if language else ""
    shown = []
    for entry in entries:
        label = change_name(entry.change)
        if entry.link:
            label = f'<a href="{_escaped(entry.link)}">{label}</a>'
        headings = _escaped(BETWEEN_HEADINGS.join(entry.headings))
        above = [_directed(headings)] if entry.headings else []
        # Of an edited sentence the words that stayed are no less its text.
        context = "{}" if entry.change == "edited" else _CONTEXT
        # The first line without its label says the direction of all.
        first, *rest = (_line(line, context) for line in entry.lines)
        label = f'<span dir="ltr">{entry.labelled(label)}</span>: '
        lines = "<br>".join([*above, f"{label}{first}", *map(_directed, rest)])
        shown.append(f'<p dir="auto"{spoken}>{lines}</p>')
    return "".join([*shown, *(f"<p>{each}</p>" for each in more_line(more))])


def _directed(html: str) -> str:
    return f'<span dir="auto">{html}</span>'


def _line(line: Line, context: str) -> str:
    same = context if any(run.kind != "same" for run in line) else "{}"
    parts = []
    for kind, runs in groupby(line, lambda run: run.kind):
        texts = ((_escaped(run.text), run.keyword) for run in runs)
        inner = "".join(f"<b>{text}</b>" if is_keyword else text for text, is_keyword in texts)
        tag = TAGS.get(kind)
        parts.append(f"<{tag}>{inner}</{tag}>" if tag else same.format(inner))
    return "".join(parts)


def _escaped(text: str) -> str:
    return escape(harmless(text))
