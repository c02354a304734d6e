"""Entries as plain text, for e-mail and chat."""

import re
import unicodedata
from collections.abc import Iterable

from connectors.display.directions import isolated
from connectors.display.entries import MAX_ENTRIES, change_name, shown_entries
from connectors.display.runs import line_text
from connectors.languages.texts import gettext
from schemas.records.changes import Diff

BETWEEN_HEADINGS = " \u203a "
"""A single angle quotation mark."""

_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters which change the direction of all text after them (Unicode Standard Annex 9)."""


def entries_text(diffs: Iterable[Diff], most: int = MAX_ENTRIES) -> str:
    """Return the first entries as plain text, three lines each, without their contexts.

    >>> print(entries_text([Diff("added", "argus", "Argus sleeps.", "Argus sleeps. So does Io.")]))
    added: Argus sleeps.
    """
    entries, more = shown_entries(diffs, most)
    lines: list[str] = []
    for entry in entries:
        if entry.headings:
            lines.append(harmless(BETWEEN_HEADINGS.join(entry.headings)))
        label = entry.labelled(change_name(entry.change))
        first, *rest = map(line_text, entry.plain)
        lines += [f"{label}: {isolated(harmless(first))}", *map(harmless, rest)]
    return "\n".join([*lines, *more_line(more)])


def more_line(count: int) -> list[str]:
    """Return the line about the number of entries not shown, if any.

    >>> more_line(2)
    ['… and 2 more']
    """
    return [gettext("… and %(num)s more", num=count)] if count else []


def harmless(text: str) -> str:
    r"""Leave out the characters of a page which act on their surroundings.

    >>> harmless("a\x1b[2J\u202eb")
    'a[2Jb'
    """
    text = _DIRECTIONS.sub("", text)
    if text.isprintable():
        return text
    return "".join(each for each in text if unicodedata.category(each) not in {"Cc", "Cs"})
