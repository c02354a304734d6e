"""Lists that stand several times on a page: in the menu and below it, for desktops and phones."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.changed import changed

STORM = "Harbour is closed after the storm"
HEADLINES = [
    "Alpha wins the cup again",
    "Beta opens a shop",
    "Council approves the new budget",
    "Delta is under water",
    "Echo Park closes early",
    "Fox seen in the city hall",
    "Goose stops a train",
    "Hotel burns down in Iraklio",
]
LETTERS = list("ABCDEFGH")


def page(*lists: list[str], between: str = "\n\n") -> str:
    return "Home\n\n" + between.join("\n".join(each) for each in lists) + "\n\nImprint"


@pytest.mark.parametrize("known", [HEADLINES[:5], LETTERS[:5]])
@pytest.mark.parametrize("between", ["\n\n", "\n", "\n\nMore of today\n\n"])
def test_an_entry_on_top_of_a_list_that_stands_twice_is_all_that_is_new(
    known: list[str], between: str
) -> None:
    new = [STORM, *known]
    assert changed(page(known, known, between=between), page(new, new, between=between)) == [
        ("added", None, STORM),
        ("added", None, STORM),
    ]


@pytest.mark.parametrize("known", [HEADLINES[:5], LETTERS[:5]])
def test_the_last_entry_of_a_list_that_stands_twice_is_all_that_is_gone(known: list[str]) -> None:
    last = ("removed", known[-1], None)
    assert changed(page(known, known), page(known[:-1], known[:-1])) == [last, last]


@pytest.mark.parametrize("known", [HEADLINES[:5], LETTERS[:5]])
def test_an_entry_that_leaves_the_box_of_the_first_three_is_no_news(known: list[str]) -> None:
    new = [STORM, *known]
    for kept in (new, new[:-1]):
        found = changed(page(known[:3], known), page(new[:3], kept))
        assert [text for event, _, text in found if event == "added"] == [STORM, STORM]
        gone = [text for event, text, _ in found if event == "removed"]
        assert gone == known[len(kept) - 1 :]


def test_entries_of_the_list_with_all_of_them_are_kept_though_boxes_have_some_of_them() -> None:
    boxes = HEADLINES[:5], HEADLINES[:3]
    found = changed(page(HEADLINES, *boxes), page(HEADLINES[:-2], *boxes))
    assert found == [("removed", each, None) for each in HEADLINES[-2:]]


def test_a_headline_with_a_topic_before_it_is_no_field_of_a_record() -> None:
    headline = "Olympus: the cabinet of Zeus at a glance"
    old = f"World\n\n{headline}\nHera speaks to the gods\nA long speech.\n\nWeather\nRain"
    new = f"World\n\nAres wages a war\nNobody knows why\n\nWeather\nRain\n\nMost read\n{headline}"
    assert not [edit for edit in changed(old, new) if "cabinet" in str(edit)]


@given(
    st.permutations(HEADLINES),
    st.integers(0, 2),
    st.integers(0, 2),
    st.lists(st.sampled_from([3, 5, 8, 8]), max_size=2),
    st.sampled_from(["\n\n", "\n\nMore of today\n\n"]),
)
def test_no_entry_is_news_that_stands_as_often_as_before(
    known: list[str], more: int, fewer: int, lengths: list[int], between: str
) -> None:
    old = known
    new = [STORM, "Zoo counts its owls"][:more] + known[: len(known) - fewer]
    before, after = (
        page(*(each[:n] for n in (10, *lengths)), between=between) for each in (old, new)
    )
    told = {gone or come or "" for _, gone, come in changed(before, after)}
    counts = [Counter(each.split("\n")) for each in (before, after)]
    assert not [each for each in told if counts[0][each] == counts[1][each]]
    assert told >= set(new) ^ set(old)
