"""A change is one row for each sentence that changed."""

from connectors.history_files.rows import rows_of
from schemas.records.changes import DocumentChanged, Edit, Place, Region, Returned, Sentence, Span
from schemas.records.failures import DocumentUnreachable

OLD = Place(10, "Shop. Price: 3 €. Soon.")
NEW = Place(10, "Shop. Price: 4 €. Soon.")
EDITED = Edit("edited", Sentence(6, 17, (Span(13, 14),)), Sentence(6, 17, (Span(13, 14),)), "")
GONE = Edit("removed", Sentence(18, 23, ()), None, "")
CHANGE = DocumentChanged(
    "c1",
    "http://u/",
    "w",
    5,
    0,
    "text/html",
    "en",
    (Region(OLD, NEW, ("Offers",), (EDITED, GONE)),),
    7,
    view="v",
    title="Shop",
    returned=Returned(3, 2),
    body_sha256="ab",
)


def test_each_sentence_is_a_row_with_both_of_its_sides() -> None:
    first, second = rows_of(CHANGE)
    assert (first["before"], first["after"]) == ("Price: 3 €.", "Price: 4 €.")
    assert (second["before"], second["after"]) == ("Soon.", None)
    assert [each["kind"] for each in (first, second)] == ["edited", "removed"]
    for row in (first, second):
        assert (row["url"], row["view"], row["change"], row["at"]) == ("http://u/", "v", "c1", 7)
        assert (row["title"], row["headings"], row["status"]) == ("Shop", ["Offers"], "ok")
        assert (row["returned_since"], row["returned_times"], row["body_sha256"]) == (3, 2, "ab")


def test_a_page_that_was_given_up_is_one_row_with_the_reason() -> None:
    (row,) = rows_of(DocumentUnreachable("c2", "http://u/", "w", 5, "", "HTTP 500", 7))
    assert (row["status"], row["reason"], row["before"]) == ("timeout", "HTTP 500", None)
