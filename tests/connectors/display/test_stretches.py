"""A long sentence is shown as it would be if all of it were looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.display import sentences
from connectors.display.sentences import edited
from connectors.display.shortening import MAX_CHANGED, SLACK, around_change

SIZE = 20
WORDS = st.lists(st.sampled_from(["argus", "sleeps", "€1,299.00", "4 %", "(never)"]), max_size=40)
LONG = "a hundred eyes, of which two slept at a time, "
PARTS = st.tuples(WORDS.map(" ".join), st.sampled_from(["", LONG, LONG * 20, LONG * 300]))


@given(st.lists(st.tuples(PARTS, PARTS), min_size=1, max_size=4))
def test_what_is_left_out_is_not_shown(parts: list[tuple[tuple[str, str], ...]]) -> None:
    before = " ".join(f"{words} {rest}" for (words, rest), _ in parts)
    after = " ".join(f"{words} {rest}" for (_, rest), (words, _) in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "around_change", lambda one, other, _: (one, other))
        whole = edited(before, after, SIZE)
    assert edited(before, after, SIZE) == whole


@given(st.text(), st.text(), st.sampled_from([0, 1, 50_000]), st.sampled_from([0, 1, 50_000]))
def test_what_is_looked_at_is_bounded(one: str, other: str, same: int, changed: int) -> None:
    before = "a" * same + one + "b " * changed + "c" * same
    after = "a" * same + other + "d " * changed + "c" * same
    most = 3 * (2 * SIZE + SLACK) + MAX_CHANGED + 2 * SIZE + SLACK
    assert all(len(each) <= most for each in around_change(before, after, SIZE))
