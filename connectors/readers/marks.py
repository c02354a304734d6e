"""The marks at the begin and end of elements in the text of a document.

They do no harm wherever they are, so a document may well contain some.
"""

BREAK = "\x1e"
"""The begin or end of a block; each other mark begins with this mark."""
GAP, SECTION, ARTICLE, ARTICLE_END, ITEM, ITEM_END, LINE = (
    BREAK + code for code in "\1\2\3\4\5\6\7"
)
ROW, ROW_END, CELL, PRE, PRE_END, HEADING_END = (
    BREAK + code for code in "\x08\x0e\x0f\x10\x11\x12"
)
RECORD = BREAK + "\x19"
"""In a row whose cells have their headers."""
SCOPE, CARD, ASIDE, SCOPE_END = (BREAK + code for code in "\x1a\x82\x83\x1b")
"""Around elements whose headings count no further; a card is an element among several alike."""
LIST_END, TERM, TERMS_END = BREAK + "\x7f", BREAK + "\x80", BREAK + "\x81"
HEADINGS = tuple(BREAK + code for code in "\x13\x14\x15\x16\x17\x18")
"""The begin of a heading, by its level less 1."""
CENTS = "\u2396"
"""The sign before the decimals of a number in smaller type."""
