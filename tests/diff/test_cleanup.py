from itertools import count

from diff_match_patch import diff_match_patch
from hypothesis import given
from hypothesis import strategies as st

from streams.diff.comparison import merge_close_edits

SIZES = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any)
EDITS = st.lists(st.tuples(SIZES, st.integers(1, 6)), min_size=1, max_size=12)


class Pure(diff_match_patch):  # type: ignore[misc]  # it has no annotations
    """Neither moves edits sideways, which is about letters, nor splits them again."""

    def diff_cleanupSemanticLossless(self, diffs: list[tuple[int, str]]) -> None:  # noqa: N802
        pass

    def diff_commonOverlap(self, text1: str, text2: str) -> int:  # noqa: N802
        return 0


def merged(edits: list[tuple[tuple[int, int], int]]) -> list[tuple[int, int]]:
    """What diff-match-patch makes of it, with one character for each unit."""
    units = map(chr, count(0x4E00))
    diffs = []
    for (went, came), kept in edits:
        for sign, size in ((-1, went), (1, came), (0, kept)):
            if size:
                diffs.append((sign, "".join(next(units) for _ in range(size))))
    Pure().diff_cleanupSemantic(diffs)
    found, went, came = [], 0, 0
    for sign, text in diffs:
        if sign == 0:
            found.append((went, came))
            went = came = 0
        elif sign < 0:
            went += len(text)
        else:
            came += len(text)
    return found


@given(EDITS)
def test_changes_are_merged_where_diff_match_patch_would(
    edits: list[tuple[tuple[int, int], int]],
) -> None:
    words = sum(went + kept for (went, _), kept in edits)
    old = "x " * words
    changes = []
    at = to = 0
    for (went, came), kept in edits:
        changes.append((at, at + 2 * went, to, to + 2 * came, went, came))
        at, to = at + 2 * (went + kept), to + 2 * (came + kept)
    assert [(each[4], each[5]) for each in merge_close_edits(old, changes)] == merged(edits)


def test_a_long_equality_stays_between_long_edits() -> None:
    old = "x " * 300
    changes = [(0, 200, 0, 200, 100, 100), (330, 530, 330, 530, 100, 100)]
    assert merge_close_edits(old, changes) == changes


def test_an_equality_is_measured_in_units_however_it_is_spaced() -> None:
    changes = [(0, 1, 0, 1, 1, 1), (6, 7, 6, 7, 1, 1)]
    assert merge_close_edits("a  b  c", changes) == [(0, 7, 0, 7, 3, 3)]
    assert merge_close_edits("a 3.1 c", changes) == changes
