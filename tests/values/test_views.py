"""Views that mean the same have one id, and what does not differ from the default counts not."""

import unicodedata
from typing import Literal

import pytest

from schemas.records.subscriptions import Options
from schemas.records.views import MAX_EXPRESSION, Quote, Selector, ViewOptions, WatchedView
from streams.values import views
from streams.values.views import view_of, view_size, view_weight


def watched_view(options: Options, manager: str = "default") -> WatchedView:
    return views.watched_view(options, manager)


def css(*texts: str) -> tuple[Selector, ...]:
    return tuple(Selector(css=text) for text in texts)


def selecting(*texts: str) -> Options:
    return Options(view=ViewOptions(select=css(*texts)))


def quoting(exact: str, prefix: str = "", suffix: str = "") -> Options:
    return Options(view=ViewOptions(select=(Selector(quote=Quote(exact, prefix, suffix)),)))


def test_the_default_view_has_an_empty_id_and_no_size() -> None:
    found = watched_view(Options(view=ViewOptions(), interval=900))
    assert (found.id, view_size(found.view), view_weight(found)) == ("", 0, 1)


@pytest.mark.parametrize("same", [("b", "a"), (" a ", "b"), ("a", "b", "b")])
def test_order_blanks_and_repeats_of_selectors_mean_nothing(same: tuple[str, ...]) -> None:
    assert watched_view(selecting(*same)) == watched_view(selecting("a", "b"))


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_quote_is_compared_as_texts_are_written(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"],
) -> None:
    words = [
        unicodedata.normalize(form, text) for text in ("caf\u00e9 \ufb01n", "\u00bd", "\u00fc")
    ]
    found = watched_view(quoting("caf\u00ade" + "\u0301 fin", "1\u20442", "u\u0308"))
    assert watched_view(quoting(*words)) == found
    assert found.view.select[0].quote == Quote("caf\u00e9 fin", "1\u20442", "\u00fc")


@pytest.mark.parametrize("exact", ["\u00ad", "\u00ad\u00a0", "\ufdfa" * MAX_EXPRESSION])
def test_a_quote_that_would_be_blank_or_too_long_stays(exact: str) -> None:
    assert watched_view(quoting(exact)).view.select[0].quote == Quote(exact)


def test_other_parts_are_another_view() -> None:
    excluding = Options(view=ViewOptions(exclude=css("a")))
    every = [Options(), selecting("a"), selecting("a", "b"), excluding, Options(content_type="a/b")]
    assert len({watched_view(each).id for each in every}) == len(every)


def test_a_large_view_counts_as_several_in_a_message() -> None:
    assert view_weight(watched_view(selecting("a"))) == 2
    assert view_weight(watched_view(selecting(*(str(n) + "x" * 900 for n in range(5))))) == 6


def test_credentials_make_a_view_that_is_for_their_owner_alone() -> None:
    private = Options(view=ViewOptions(credentials="news"))
    own, other = watched_view(private), watched_view(private, "another")
    assert own == watched_view(private)
    assert len({own.id, other.id, watched_view(Options(), "another").id}) == 3
    assert own.view.request.owner == "default"
    assert watched_view(selecting("a"), "another") == watched_view(selecting("a"))


def test_the_article_alone_is_another_view_and_the_whole_page_keeps_its_id() -> None:
    main, whole = Options(view=ViewOptions(main=True)), Options(view=ViewOptions(main=False))
    assert watched_view(main).view.main
    assert watched_view(main).id != watched_view(whole).id == ""


def test_names_of_attributes_mean_the_same_in_any_order_and_case() -> None:
    some = Options(view=ViewOptions(attributes=("href", "alt")))
    same = Options(view=ViewOptions(attributes=("ALT", "href", "alt")))
    assert watched_view(some) == watched_view(same) != watched_view(Options())


def test_as_is_another_name_of_the_content_type() -> None:
    nested = Options(view=ViewOptions(read_as=" Text/Plain"))
    assert watched_view(nested) == watched_view(Options(content_type="text/plain"))


def test_rows_are_no_content_type_and_may_be_of_one() -> None:
    rows = Options(view=ViewOptions(read_as=" Rows"))
    csv = Options(content_type="text/csv", view=ViewOptions(read_as="rows"))
    assert [(each.content_type, each.rows) for each in (view_of(rows, "m"), view_of(csv, "m"))] == [
        (None, True),
        ("text/csv", True),
    ]
