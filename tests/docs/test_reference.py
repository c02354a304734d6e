"""The tables of the reference are those that follow from the code."""

import pytest

from docs.reference import DOCS, TABLES, written

PAGES = {str(path.relative_to(DOCS)): path.read_text("utf-8") for path in DOCS.rglob("*.md")}


@pytest.mark.parametrize("name", PAGES)
def test_the_tables_of_a_page_agree_with_the_code(name: str) -> None:
    assert written(PAGES[name]) == PAGES[name], "`make schemas` writes them"


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_on_one_page(table: str) -> None:
    mark = f"<!-- written by make schemas: {table} -->\n"
    assert [page.count(mark) for page in PAGES.values() if mark in page] == [1]
