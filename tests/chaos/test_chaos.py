"""A small part of ``make chaos``."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.plan import Act, Sizes
from tests.chaos.run import run

SMALL = Sizes(documents=20, changes=100, seconds=20.0, interval=1, hosts=4, pause=4.0, fanout=20)


@pytest.mark.slow
async def test_under_kills_and_outages_nothing_is_missing_and_nothing_alien_is_sent(
    tmp_path: Path,
) -> None:
    result = await run(tmp_path, 7, SMALL, print)
    assert result.report.is_good, f"{result.report.table()}\n{result.lost}"
    assert result.report.planted > SMALL.changes
    assert result.killed >= 3
    assert result.in_rebalance == 2


THREE = Sizes(documents=10, changes=60, seconds=30.0, interval=1, hosts=4, fanout=20, brokers=3)
AWAY = 8.0
"""Seconds: longer than the 4 s after which a broker counts as gone."""


@pytest.mark.slow
async def test_with_two_of_three_brokers_nothing_is_missing_and_nothing_alien_is_sent(
    tmp_path: Path,
) -> None:
    plan = [
        Act(2.0, "broker", "", AWAY),
        Act(4.0, "kill", "deliver", 1.0),
        Act(6.0, "freeze broker", "", AWAY),
        Act(20.0, "kill", "match", 1.0),
    ]
    result = await run(tmp_path, 7, THREE, print, plan=plan)
    assert result.report.is_good, f"{result.report.table()}\n{result.lost}"
    assert result.report.planted > THREE.changes
    assert result.killed == 2


@pytest.mark.slow
async def test_next_to_more_pages_than_a_host_can_serve_nothing_is_missing(tmp_path: Path) -> None:
    plan = [
        Act(1.0, "endless", "", AWAY),
        Act(4.0, "crowd", "", AWAY),
        Act(6.0, "kill", "fetch", 1.0),
        Act(9.0, "kill", "ticker", 1.0),
        Act(15.0, "kill", "match", 1.0),
    ]
    result = await run(tmp_path, 7, SMALL, print, plan=plan)
    assert result.report.is_good, f"{result.report.table()}\n{result.lost}"
    assert result.report.planted > SMALL.changes
    assert result.killed == 3


@pytest.mark.slow
async def test_a_notification_of_a_rule_is_delivered_or_suppressed_whatever_the_model_does(
    tmp_path: Path,
) -> None:
    plan = [
        Act(4.0, "kill model", "", AWAY),
        Act(8.0, "kill", "match", 1.0),
        Act(16.0, "stop model", "", AWAY),
        Act(18.0, "kill", "deliver", 1.0),
        Act(20.0, "kill", "match", 1.0),
    ]
    result = await run(tmp_path, 7, replace(SMALL, seconds=30.0), print, plan=plan)
    assert result.report.is_good, f"{result.report.table()}\n{result.lost}"
    assert result.killed == 3
