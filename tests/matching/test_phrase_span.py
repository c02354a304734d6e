"""The phrases of a keyword that are closest."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streams.matching import marks
from streams.matching.marks import near_rarest, smallest_span

positions = st.lists(st.integers(0, 40), min_size=1, max_size=8, unique=True).map(sorted)


def spans(found: list[list[int]]) -> list[list[tuple[int, int]]]:
    return [[(10 * at, 10 * at + 5 + n) for at in each] for n, each in enumerate(found)]


@given(st.lists(positions, min_size=1, max_size=3))
def test_the_smallest_span_is_among_the_occurrences_next_to_the_rarest_phrase(
    found: list[list[int]],
) -> None:
    every = [
        (min(start for start, _ in each), max(end for _, end in each))
        for each in product(*spans(found))
    ]
    near = near_rarest([np.array(each) for each in found])
    start, end = smallest_span(spans([each.tolist() for each in near]))
    assert (start, end) == smallest_span(spans(found))
    assert end - start == min(end - start for start, end in every)


def test_of_frequent_phrases_only_some_occurrences_are_tried() -> None:
    many = np.arange(5 * marks.MAX_TRIED)
    near = near_rarest([many, many + 1])
    assert sum(map(len, near)) <= 2 * marks.MAX_TRIED + 4
