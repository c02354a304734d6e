"""The lines of a text with marks."""

import re
from collections.abc import Callable
from functools import partial

from connectors.readers.marked_lines import MarkedLines
from connectors.readers.marks import (
    ARTICLE,
    ARTICLE_END,
    ASIDE,
    BREAK,
    CARD,
    CELL,
    GAP,
    HEADING_END,
    HEADINGS,
    ITEM,
    ITEM_END,
    LINE,
    LIST_END,
    PRE,
    PRE_END,
    RECORD,
    ROW,
    ROW_END,
    SCOPE,
    SCOPE_END,
    SECTION,
    TERM,
    TERMS_END,
)
from connectors.readers.page_text import PageText

_SPACES = [c for c in map(chr, range(0x3001)) if c.isspace() and c not in (" ", "\n", BREAK)]
_ASCII_SPACES = [c for c in _SPACES if c.isascii()]
_BLANKS = re.compile("  +")
_HANDLERS: dict[str, Callable[[MarkedLines], None]] = {
    GAP[1]: MarkedLines.add_gap,
    SECTION[1]: MarkedLines.add_section,
    SCOPE[1]: MarkedLines.enter_scope,
    ASIDE[1]: partial(MarkedLines.enter_scope, kind="aside"),
    CARD[1]: partial(MarkedLines.enter_scope, kind="card"),
    SCOPE_END[1]: MarkedLines.leave_scope,
    ARTICLE[1]: MarkedLines.enter_article,
    ARTICLE_END[1]: MarkedLines.leave_article,
    LINE[1]: MarkedLines.break_line,
    ITEM[1]: MarkedLines.enter_item,
    ITEM_END[1]: MarkedLines.leave_item,
    LIST_END[1]: MarkedLines.leave_list,
    ROW[1]: MarkedLines.enter_row,
    ROW_END[1]: MarkedLines.leave_row,
    RECORD[1]: MarkedLines.enter_record,
    TERM[1]: MarkedLines.enter_term,
    TERMS_END[1]: MarkedLines.leave_terms,
    CELL[1]: MarkedLines.enter_cell,
    HEADING_END[1]: MarkedLines.leave_heading,
    PRE[1]: MarkedLines.enter_pre,
    PRE_END[1]: MarkedLines.leave_pre,
    **{
        mark[1]: partial(MarkedLines.enter_heading, level=level)
        for level, mark in enumerate(HEADINGS, 1)
    },
}
"""The effect of a mark, by its code."""


def laid_out(marked: str) -> PageText:
    r"""Put each block of a marked text on a line, with the white space of a browser.

    An empty line stands for a GAP, before a heading, and around an item of a list with several
    blocks. A row is one line, its cells separated by tabs, unless the row only lays out the page:
    with another row or an empty line inside, with a single cell of text, or too long (``is_row``,
    or MAX_STACKED if a cell has several lines). A row with a RECORD is a block of a line, with
    SEPARATOR between its cells.

    Example:
        >>> laid_out(f"Gods{ROW}{CELL}Zeus{CELL}sky{ROW_END}{GAP}Hera").text
        'Gods\nZeus\tsky\n\nHera'
    """
    layout = MarkedLines()
    append = layout.lines.append
    for piece in _pieces(marked):
        handle = _HANDLERS.get(piece[0])
        if handle is not None:
            handle(layout)
            if len(piece) > 1:
                layout.add_text(piece[1:])
        elif "\n" in piece:
            layout.add_text(piece)
        else:
            append(piece)
    return layout.page()


def _pieces(marked: str) -> list[str]:
    """Return the texts between the marks, with white space as single blanks, and as line feeds."""
    for space in _ASCII_SPACES if marked.isascii() else _SPACES:
        marked = marked.replace(space, " ")
    if PRE not in marked:
        marked = marked.replace("\n", " ")
    pieces = filter(None, map(str.strip, marked.split(BREAK)))
    # Most blanks that follow others indent an element, and are gone.
    return [_BLANKS.sub(" ", piece) if "  " in piece else piece for piece in pieces]
