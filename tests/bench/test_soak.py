"""`make soak` says what grows, and nothing else."""

import csv
import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bench import stored
from bench.soak.run import Sizes
from bench.soak.samples import Sheet
from bench.soak.verdict import Sample, Trend, Verdict, growth, verdicts

MINUTE = 60.0
WARM_UP = 5 * MINUTE


def samples(
    value: Callable[[float], float], name: str = "memory fetch", restart: float = 0.0
) -> list[Sample]:
    """An hour of a quantity, a sample each minute; its process is restarted at a time."""
    every = [minute * MINUTE for minute in range(60)]
    return [Sample(at, {name: value(at)}, {"fetch": int(at >= restart > 0)}) for at in every]


def only(found: list[Verdict]) -> Verdict:
    (verdict,) = found
    return verdict


def trend(several: list[Sample]) -> Trend:
    return only(verdicts(several, WARM_UP, {})).trend


def test_what_grows_slowly_for_long_is_found() -> None:
    found = only(verdicts(samples(lambda at: 100e6 + at / 3600 * 8e6), WARM_UP, {}))
    assert found.trend is Trend.GROWING
    assert found.growth == pytest.approx(8e6)


def test_what_swings_is_flat() -> None:
    assert trend(samples(lambda at: 100e6 + (at // MINUTE % 7) * 5e6)) is Trend.FLAT


def test_what_varies_by_chance_is_flat_whichever_way_its_line_points() -> None:
    values = np.random.default_rng(7).exponential(50.0, 60) + np.linspace(0, 15, 60)
    assert growth([list(enumerate(values))]) > 0
    several = samples(lambda at: values[int(at / MINUTE)], name="entries fetch due")
    assert only(verdicts(several, WARM_UP, {})).growth > 10
    assert trend(several) is Trend.FLAT


def test_one_outlier_does_not_make_it_grow() -> None:
    assert trend(samples(lambda at: 900e6 if at == 58 * MINUTE else 100e6)) is Trend.FLAT


def test_growth_in_the_warm_up_does_not_count() -> None:
    half = 30 * MINUTE
    several = samples(lambda at: 100e6 + min(at, half) * 1e4)
    assert only(verdicts(several, half, {})).trend is Trend.FLAT
    assert trend(several) is Trend.GROWING


def test_a_restart_is_no_fall_that_hides_growth() -> None:
    restart = 30 * MINUTE
    sawtooth = samples(lambda at: 100e6 + at % restart / 3600 * 20e6, restart=restart)
    assert trend(sawtooth) is Trend.GROWING


def test_a_process_that_begins_higher_after_its_restart_and_stays_there_is_flat() -> None:
    restart = 30 * MINUTE
    assert (
        trend(samples(lambda at: 130e6 if at >= restart else 100e6, restart=restart)) is Trend.FLAT
    )


def test_what_others_keep_is_not_cut_at_a_restart() -> None:
    several = samples(lambda at: 10e6 + at * 1e3, name="topic dead-letters", restart=30 * MINUTE)
    assert trend(several) is Trend.GROWING


def test_what_grows_by_design_is_stated_for_each_of_its_units() -> None:
    several = [
        Sample(at, {"topic changes": 900 * at, "seen change": 2 * at}, {})
        for at in (minute * MINUTE for minute in range(60))
    ]
    found = only(verdicts(several, WARM_UP, {"topic changes": "change"}))
    assert (found.trend, found.unit, found.each) == (Trend.BY_DESIGN, "change", 450.0)


def test_a_quantity_with_one_sample_has_no_growth() -> None:
    assert growth([[(0.0, 5.0)]]) == 0.0


def test_only_a_long_run_says_what_grows() -> None:
    ramp = [Sample(at, {"memory fetch": 100e6 + min(at, 240) * 1e4}, {}) for at in range(5, 600, 5)]
    assert only(verdicts(ramp, Sizes(minutes=10).warm_up, {})).trend is Trend.FLAT
    assert [Sizes(minutes=each).says_what_grows for each in (10, 25, 60)] == [False, True, True]
    # An attacker's ended subscriptions take longer to reach their bound.
    attacked = [Sizes(minutes=each, attacks=1).says_what_grows for each in (25, 30, 60)]
    assert attacked == [False, False, True]


def test_a_sheet_has_a_line_for_each_quantity_and_each_process() -> None:
    file = io.StringIO()
    Sheet(file).add(Sample(1.5, {"files api": 40.0}, {"fetch": 2}))
    assert list(csv.reader(file.getvalue().splitlines())) == [
        ["seconds", "quantity", "value"],
        ["1.5", "files api", "40"],
        ["1.5", "process fetch", "2"],
    ]


def test_the_logs_of_all_partitions_of_a_topic_are_added(tmp_path: Path) -> None:
    for name in ("v.changes-0", "v.changes-11", "v.match-subscriptions-changelog-3"):
        (tmp_path / "kafka" / name).mkdir(parents=True)
        (tmp_path / "kafka" / name / "00.log").write_bytes(b"x" * 10)
        (tmp_path / "kafka" / name / "00.index").write_bytes(b"x" * 99)
    found = stored.topic_logs(tmp_path, "v.")
    assert found == {"changes": 20, "match-subscriptions-changelog": 10}


def test_the_indexes_of_a_table_are_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE facts (id TEXT PRIMARY KEY, fact TEXT)")
        pages: int = store.execute("PRAGMA page_size").fetchone()[0]
    assert stored.store_tables(path)["facts"] == 2 * pages
