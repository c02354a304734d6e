"""CSV and tab-separated values."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.reading import read_document


def text(body: str, kind: str = "text/csv") -> str:
    return read_document(body.encode(), kind, None).text


@pytest.mark.parametrize(
    "body",
    [
        'name,eyes\r\n"Argus, the giant",100\r\n\r\n"two\nlines","say ""hi"""\r\n',
        'name;eyes\nArgus, the giant;100\n"two\nlines";"say ""hi"""\n',
        'name|eyes\nArgus, the giant|100\n"two\nlines"|"say ""hi"""',
    ],
)
def test_csv_is_read_as_its_cells_a_row_a_line(body: str) -> None:
    assert text(body) == 'name\teyes\nArgus, the giant\t100\ntwo lines\tsay "hi"'


def test_tab_separated_values_have_commas_in_their_cells() -> None:
    assert text("a, b, c\td\n1\t2", "text/tab-separated-values") == "a, b, c\td\n1\t2"


def test_a_cell_may_be_as_large_as_a_page() -> None:
    assert text(f'a,"{"x" * 1_000_000}') == "a\t" + "x" * 1_000_000


cells = st.text("ab,;\"'\n ", max_size=5).map(lambda cell: f"x{cell}x")


@given(st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1))
def test_what_was_written_as_csv_is_read(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written).writerows([["a", "b"], *rows])
    expected = [[" ".join(cell.split()) for cell in row] for row in rows]
    assert [line.split("\t") for line in text(written.getvalue()).split("\n")[1:]] == expected
