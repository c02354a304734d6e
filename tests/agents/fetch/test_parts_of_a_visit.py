"""What is due is split by the request parts of its views."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.fetches import Due
from schemas.records.page_requests import PageRequest
from schemas.records.views import WatchedView
from streams.agents.fetch.request_parts import part_key, parts_of, request_of
from tests.fakes.views import view_in

URL = "http://d.test/"
PARTS = [PageRequest(), PageRequest(language="de"), PageRequest(method="POST", body="{}")]
VIEWS = st.lists(
    st.builds(
        lambda request, kind, managers: view_in(request, *managers, content_type=kind),
        st.sampled_from(PARTS),
        st.sampled_from([None, "text/plain", "text/html", "text/csv"]),
        st.lists(st.sampled_from("abcdefgh"), max_size=5, unique=True),
    ),
    max_size=12,
    unique_by=lambda view: view.id,
)


@given(VIEWS, st.lists(st.sampled_from(["x", "y"]), unique=True))
def test_each_view_is_in_one_piece_and_all_others_are_elsewhere(
    views: list[WatchedView], elsewhere: list[str]
) -> None:
    due = Due(URL, "w", 7, tuple(views), ("m",), 60, tuple(elsewhere))
    pieces = parts_of(due)
    assert [part_key(piece) for piece in pieces.values()] == list(pieces)
    assert len({request_of(piece) for piece in pieces.values()}) == len(pieces)
    read = [view.id for piece in pieces.values() for view in piece.views]
    assert sorted(read) == sorted(view.id for view in views)
    for piece in pieces.values():
        own = {view.id for view in piece.views}
        assert {view.view.request for view in piece.views} <= {request_of(piece)}
        assert own | set(piece.elsewhere) == {view.id for view in views} | set(elsewhere)
        assert not own & set(piece.elsewhere)
        assert (piece.url, piece.watch, piece.slot, piece.interval) == (URL, "w", 7, 60)


def test_what_has_one_request_part_is_left_as_it_is() -> None:
    plain = Due(URL, "w", 7, (view_in(PARTS[0]), view_in(PARTS[0], content_type="text/csv")))
    german = Due(URL, "w", 7, (view_in(PARTS[1]),))
    assert parts_of(plain) == {URL: plain}
    assert list(parts_of(german).values()) == [german]
    assert parts_of(german).keys() & {URL} == set()


def test_a_piece_is_in_the_turns_of_its_own_managers() -> None:
    views = [view_in(PARTS[0], "b"), view_in(PARTS[0], "a", content_type="text/csv")]
    due = Due(URL, "w", 7, (*views, view_in(PARTS[1], "c"), view_in(PARTS[2])), ("a", "b", "c"))
    assert [piece.managers for piece in parts_of(due).values()] == [
        ("a", "b"),
        ("c",),
        ("a", "b", "c"),
    ], "those of the watch, if all of its own are paused"


def test_a_piece_is_known_by_its_request_part_whatever_its_views_read() -> None:
    first = Due(URL, "w", 7, (view_in(PARTS[1]),))
    second = replace(first, slot=8, views=(view_in(PARTS[1], content_type="text/csv"),))
    assert part_key(first) == part_key(second)
    assert part_key(first).startswith(f"{URL} "), "no canonical URL has a space"
