"""Tables of HTML and CSV as rows that are read by themselves, each cell after its header."""

import pytest

from connectors.readers.errors import Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

PRICES = """<p>before</p><table><thead><tr><th>Name<th>Price</thead>
<tr><td>A<td>3 €<tr><td><p>B</p><p>new</p><td> <tr><td>C<span hidden>x</span><td>5 €</table>after"""


def read(markup: str, view: View, header: str = "text/html") -> list[str]:
    (found,) = read_views(markup.encode(), header, [view])
    assert isinstance(found, Reading), found
    return found.text.split("\n")


def rows(table: str, header: str = "text/html") -> list[str]:
    """The lines of a table with rows by themselves, without the empty ones between them."""
    return [line for line in read(table, View(rows=True), header) if line]


def test_each_row_is_a_block_of_one_line_with_headers_and_without_empty_cells() -> None:
    assert read(PRICES, View(rows=True)) == [
        "before", "Name\tPrice", "", "Name: A · Price: 3 €", "", "Name: B new", "",
        "Name: C · Price: 5 €", "", "after",
    ]  # fmt: skip
    assert read(PRICES, View())[:3] == ["before", "Name\tPrice", "A\t3 €"]


def test_a_selected_row_keeps_its_headers() -> None:
    view = View(rows=True, select=(Selector(css="tr:last-child td:last-child, tr:nth-child(2)"),))
    assert [line for line in read(PRICES, view) if line] == ["Name: B new", "Price: 5 €"]
    without = View(rows=True, exclude=(Selector(css="tr > :first-child"),))
    assert "Price: 5 €" in read(PRICES, without)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>2", ["a\tb", "a: 1 · b: 2"]),
        ("<tr><td>1<td>2", ["1\t2"]),
        ("<tr><th>a<th>b<tr><th>x<td>2", ["a\tb", "a: x · b: 2"]),
        (
            "<tr><th>a<th>b<tr><td>1<td>2<tr><th>c<th>d<tr><td>3",
            ["a\tb", "a: 1 · b: 2", "c\td", "c: 3"],
        ),
        (
            "<tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td>1<td>2<td>3",
            ["a\tb", "c\td", "a: 1 · b c: 2 · b d: 3"],
        ),
        (
            "<tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5<tr><td>6",
            ["a\tb\tc", "a: 1 · b: 2 · c: 3", "a: 1 · b: 4 · c: 5", "a: 6"],
        ),
        ("<tr><th>a<th>b<tr><td>1<td rowspan=2>2<tr><td>3", ["a\tb", "a: 1 · b: 2", "a: 3 · b: 2"]),
        ("<tr><th>a<th>b<tr><td colspan=2>all", ["a\tb", "all"]),
        ("<tr><th>a<th>b<th>c<tr><td colspan=2>1<td>2", ["a\tb\tc", "a / b: 1 · c: 2"]),
        ("<tr><th>a<tr><td colspan=x rowspan=99999>1<tr><td>2", ["a", "a: 1", "a: 1 · 2"]),
        ("<tr><th>a<th>b<tr><td>1<td>2<td>3", ["a\tb", "a: 1 · b: 2 · 3"]),
        ("<tr><td>menu<td><table><tr><th>a<tr><td>1</table>", ["menu", "a", "a: 1"]),
    ],
)  # fmt: skip
def test_cells_have_the_headers_above_them(table: str, expected: list[str]) -> None:
    assert rows(f"<table>{table}</table>") == expected


def test_what_spans_very_many_rows_is_repeated_within_a_bound() -> None:
    cell = "<td rowspan=1000>" + "x" * 5_000
    body = "<table><tr><th>a<th>b<tr>" + cell + "<td>1" + "<tr><td>2" * 900 + "</table>"
    text = "\n".join(rows(body))
    assert 900_000 < len(text) < 1_100_000


def test_csv_has_rows_too() -> None:
    body = "name,price\nA,3\n,\nB,\nC,5,x\n"
    found = rows(body, "text/csv")
    assert found == ["name\tprice", "name: A · price: 3", "name: B", "name: C · price: 5 · x"]
    assert rows("a\tb\n1,2\t3", "text/tab-separated-values") == ["a\tb", "a: 1,2 · b: 3"]
    assert rows("", "text/csv") == []


@pytest.mark.parametrize("header", ["application/json", "text/xml", "text/plain"])
def test_what_has_no_rows_says_so(header: str) -> None:
    body = b"[]" if "json" in header else b"<a>c</a>"
    (found,) = read_views(body, header, [View(rows=True)])
    assert isinstance(found, Unreadable)
    assert str(found).startswith("view.as: rows finds nothing in ")
