"""What two readers make of one page, as it is shown; and bodies that are kept."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import Response
from streams.agents.fetch.fetched_page import packed_body, unpacked_body
from streams.agents.history.reprocess_reading import MAX_SHOWN, edits_in, shown_difference
from streams.diff.regions import changed_regions

TEXTS = st.lists(st.text("ab \n", max_size=12), max_size=12).map("\n\n".join)


def test_what_one_reader_alone_reads_is_shown_line_by_line() -> None:
    regions = changed_regions("Zeus\n\nhidden\n\nHera", "Zeus\n\nHera\n\nread by 2")
    assert shown_difference(regions) == "- hidden\n+ read by 2"
    assert edits_in(regions) == 2


def test_the_same_text_has_no_difference() -> None:
    assert shown_difference(changed_regions("Zeus", "Zeus")) == ""


@given(TEXTS, TEXTS)
def test_every_edit_but_a_move_is_shown_while_there_is_room(old: str, new: str) -> None:
    regions = changed_regions(old, new)
    edits = [edit for region in regions for edit in region.edits if edit.change != "moved"]
    sides = [side for edit in edits for side in (edit.removed, edit.added) if side is not None]
    assert len(shown_difference(regions).splitlines()) == len(sides)


def test_a_large_difference_is_cut() -> None:
    shown = shown_difference(changed_regions("", "\n\n".join("word " * n for n in range(300))))
    assert len(shown) <= MAX_SHOWN + 2
    assert shown.endswith("\n…")


@given(st.binary(max_size=300), st.none() | st.text(max_size=9), st.text(max_size=9), st.text())
def test_a_body_comes_back_as_it_was(
    body: bytes, content_type: str | None, url: str, language: str
) -> None:
    response = Response(200, body, content_type, url=url, language=language)
    packed = packed_body(response, "http://d.test/", 100_000)
    assert packed is not None
    assert unpacked_body(packed) == replace(response, url=url or "http://d.test/")
    assert packed_body(response, "http://d.test/", len(packed) - 1) is None
