"""The rows of tables in HTML and XHTML, each a line with its cells separated by tabs."""

import pytest

from connectors.readers.marked_lines import MAX_STACKED
from connectors.readers.reading import read_document
from connectors.readers.tables import MAX_ROW

XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'


def lines(markup: str, kind: str = "text/html") -> list[str]:
    return read_document(markup.encode(), kind, None).text.split("\n")


def row(*cells: str) -> str:
    return f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>"


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml"])
def test_a_row_is_a_line_and_its_cells_are_separated_by_tabs(kind: str) -> None:
    table = """<table><caption>Gods</caption><thead><tr><th>name</th><th>of</th></tr></thead>
      <tbody><tr><td>Zeus <b>the</b>
      first</td> <td><p>sky</p></td></tr><tr><td></td><td>100</td></tr>
      <tr><th>Io</th><td></td><td><a href="/">more</a></td></tr></tbody></table>"""
    expected = ["Gods", "name\tof", "Zeus the first\tsky", "100", "Io\t\tmore"]
    assert lines(table if kind == "text/html" else XHTML.format(table), kind) == expected


def test_a_cell_of_several_lines_is_one_cell_while_the_row_is_short() -> None:
    cells = "Zeus<br>Jupiter", "<ul><li>sky</li><li>thunder</li></ul>"
    assert lines(row(*cells)) == ["Zeus Jupiter\tsky thunder"]
    long = "<p>one</p><p>two</p>", "x" * MAX_STACKED
    assert lines(row(*long)) == ["one", "two", "x" * MAX_STACKED]


def test_a_row_that_is_too_long_is_a_line_for_each_of_its_cells() -> None:
    cells = ["x" * (MAX_ROW // 2), "y" * (MAX_ROW // 2 - 1)]
    assert lines(row(*cells)) == ["\t".join(cells)]
    assert lines(row(cells[0], f"{cells[1]}y")) == [cells[0], f"{cells[1]}y"]
    assert lines(row(*cells, *cells)) == [*cells, *cells]


def test_one_cell_of_a_row_may_be_long() -> None:
    cells = ["AT", "x" * 9_000, "Austria"]
    assert lines(row(*cells)) == ["\t".join(cells)]
    assert lines(row(*cells[:2])) == cells[:2]


@pytest.mark.parametrize(
    "cell",
    [
        "<h2>News</h2><p>first</p>",
        "News<section>first</section>",
        "<ul><li><p>News</p><p>first</p></li></ul>",
        "<article>News</article>first",
        "News<hr>first",
    ],
)
def test_a_row_that_only_lays_out_the_page_is_no_line(cell: str) -> None:
    found = [line for line in lines(row("Menu", cell, "Aside")) if line]
    assert found[0] == "Menu"
    assert found[-1] == "Aside"
    assert "\t" not in "".join(found)


def test_of_nested_tables_only_the_innermost_have_rows() -> None:
    inner = row("name", "of") + row("Zeus", "sky")
    assert lines(row("Menu", inner, "Aside")) == ["Menu", "name\tof", "Zeus\tsky", "Aside"]


def test_a_row_with_one_cell_of_text_has_the_lines_of_that_cell() -> None:
    assert lines(row("", "one<br>two", "<img>")) == ["one", "two"]


def test_a_heading_may_be_the_first_cell_of_a_row() -> None:
    reading = read_document(row("<h3>Zeus</h3>", "sky").encode(), "text/html", None)
    assert reading.text == "Zeus\tsky"
    assert [(each.start, each.level) for each in reading.headings] == [(0, 3)]
