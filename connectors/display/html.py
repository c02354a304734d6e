"""Entries as HTML, for feeds and e-mail."""

from collections.abc import Iterable
from html import escape
from itertools import groupby

from connectors.display.entries import MAX_ENTRIES, ShownEntry, shown_entries
from connectors.display.plain import BETWEEN_HEADINGS, harmless, more_line
from connectors.display.runs import Line, Run, RunKind
from schemas.records.changes import Diff

TAGS = {"removed": "del", "added": "ins"}


def entries_html(diffs: Iterable[Diff], most: int = MAX_ENTRIES) -> str:
    """Return the first entries as HTML, a paragraph of three lines at most each, escaped.

    >>> entries_html([Diff("added", "argus", "Argus sleeps.", "Argus <b> sleeps.")])
    '<p>added: Argus &lt;b&gt; sleeps.</p>'
    """
    entries, more = shown_entries(diffs, most)
    return "".join(f"<p>{each}</p>" for each in (*map(_entry, entries), *more_line(more)))


def _entry(entry: ShownEntry) -> str:
    label = entry.change
    if entry.link:
        label = f'<a href="{_escaped(entry.link)}">{label}</a>'
    headings = [_escaped(BETWEEN_HEADINGS.join(entry.headings))] if entry.headings else []
    first, *rest = map(_line, entry.lines)
    return "<br>".join([*headings, f"{entry.labelled(label)}: {first}", *rest])


def _line(line: Line) -> str:
    return "".join(_tagged(kind, runs) for kind, runs in groupby(line, lambda run: run.kind))


def _tagged(kind: RunKind, runs: Iterable[Run]) -> str:
    inner = "".join(f"<b>{_escaped(r.text)}</b>" if r.keyword else _escaped(r.text) for r in runs)
    return inner if kind == "same" else f"<{TAGS[kind]}>{inner}</{TAGS[kind]}>"


def _escaped(text: str) -> str:
    return escape(harmless(text))
