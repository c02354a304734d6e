"""The tables of the reference are those that follow from the code."""

import pytest

from docs.reference import TABLES, by_hand, written
from tests.docs.reading import text


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_of_a_page_agree_with_the_code(name: str) -> None:
    page = text(f"docs/{name}.md")
    assert by_hand(page) != page
    assert written(page, TABLES[name]()) == page, "`make schemas` writes them"
