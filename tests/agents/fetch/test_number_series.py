"""What is kept of a number."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.numbers import MAX_POINTS, NumberPoint, packed_series, unpacked_series
from streams.agents.fetch.state.snapshots import series_after, thinned

values = st.decimals(0, 100, places=1).map(str)


def series_of(values: list[str]) -> tuple[NumberPoint, ...]:
    series: tuple[NumberPoint, ...] = ()
    for at, value in enumerate(values):
        series = series_after(series, NumberPoint(at, value, "EUR"))
    return series


def test_the_same_number_adds_no_point() -> None:
    assert [each.at for each in series_of(["5", "5", "6", "6", "5"])] == [0, 2, 4]


@given(st.lists(values, max_size=2000, unique=False))
def test_a_series_is_bounded_and_its_newer_half_complete(several: list[str]) -> None:
    series = series_of(several)
    assert len(series) <= MAX_POINTS
    assert list(series) == sorted(series, key=lambda each: each.at)
    changed = [at for at, each in enumerate(several) if at == 0 or several[at - 1] != each]
    newest = [each.at for each in series][-MAX_POINTS // 2 :]
    assert newest == changed[-len(newest) :] if newest else not changed
    assert unpacked_series(packed_series(series)) == series


def test_peaks_and_the_beginning_outlive_what_is_left_out() -> None:
    several = [str(100 + at % 3) for at in range(MAX_POINTS)]
    several[101] = "999"
    series = thinned([NumberPoint(at, each) for at, each in enumerate(several)])
    assert len(series) < MAX_POINTS
    assert series[0].at == 0
    assert "999" in [each.value for each in series]
