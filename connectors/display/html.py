"""Entries as HTML, for feeds and e-mail."""

from collections.abc import Iterable
from html import escape
from itertools import groupby

from connectors.display.entries import MAX_ENTRIES, ShownEntry, shown_entries
from connectors.display.plain import BETWEEN_HEADINGS, harmless, more_line
from connectors.display.runs import Line, Run, RunKind
from schemas.records.changes import Diff

TAGS = {"removed": "del", "added": "ins"}
_CONTEXT = '<span style="color:#757575">{}</span>'
"""A grey that can be read on white and on black."""


def entries_html(diffs: Iterable[Diff], most: int = MAX_ENTRIES) -> str:
    """Return the first entries as HTML, a paragraph of three lines at most each, escaped.

    >>> entries_html([Diff("added", "argus", "Argus sleeps.", "Argus <b> sleeps.")])
    '<p>added: Argus &lt;b&gt; sleeps.</p>'

    The text around a passage is grey.
    """
    entries, more = shown_entries(diffs, most)
    return "".join(f"<p>{each}</p>" for each in (*map(_entry, entries), *more_line(more)))


def _entry(entry: ShownEntry) -> str:
    label = entry.change
    if entry.link:
        label = f'<a href="{_escaped(entry.link)}">{label}</a>'
    headings = [_escaped(BETWEEN_HEADINGS.join(entry.headings))] if entry.headings else []
    # Of an edited sentence the words that stayed are no less its text.
    context = "{}" if entry.change == "edited" else _CONTEXT
    first, *rest = (_line(line, context) for line in entry.lines)
    return "<br>".join([*headings, f"{entry.labelled(label)}: {first}", *rest])


def _line(line: Line, context: str) -> str:
    same = context if any(run.kind != "same" for run in line) else "{}"
    parts = groupby(line, lambda run: run.kind)
    return "".join(_tagged(kind, runs, same) for kind, runs in parts)


def _tagged(kind: RunKind, runs: Iterable[Run], same: str) -> str:
    inner = "".join(f"<b>{_escaped(r.text)}</b>" if r.keyword else _escaped(r.text) for r in runs)
    return same.format(inner) if kind == "same" else f"<{TAGS[kind]}>{inner}</{TAGS[kind]}>"


def _escaped(text: str) -> str:
    return escape(harmless(text))
