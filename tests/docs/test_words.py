"""The documentation stays short enough to be kept true."""

import re
from collections.abc import Iterator

from docs.reference import by_hand
from tests.docs.reading import ROOT

FILES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [by_hand(file.read_text("utf-8")) for file in FILES]
"""Without the tables that ``make schemas`` writes: the texts of those stand in the code alone."""
MOST_WORDS = 35_000
MOST_WORDS_OF_A_CELL = 40


def cells(page: str) -> Iterator[str]:
    for line in page.splitlines():
        if line.startswith("|"):
            yield from line.strip("|").split(" | ")


def test_all_pages_together_have_a_bound() -> None:
    assert sum(len(page.split()) for page in PAGES) <= MOST_WORDS


def test_a_cell_of_a_table_is_no_paragraph() -> None:
    found = [cell for page in PAGES for cell in cells(page)]
    assert [cell for cell in found if len(cell.split()) > MOST_WORDS_OF_A_CELL] == []


def test_a_heading_is_no_question() -> None:
    question = re.compile(r"^#+ (?:What|Where|Why|How)\b.*", re.MULTILINE)
    assert [found for page in PAGES for found in question.findall(page)] == []
