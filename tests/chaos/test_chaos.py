"""A small part of ``make chaos``."""

from pathlib import Path

import pytest

from tests.chaos.plan import Sizes
from tests.chaos.run import run

SMALL = Sizes(documents=20, changes=100, seconds=20.0, interval=1, hosts=4, pause=4.0, fanout=20)


@pytest.mark.slow
async def test_under_kills_and_outages_nothing_is_missing_and_nothing_alien_is_sent(
    tmp_path: Path,
) -> None:
    result = await run(tmp_path, 7, SMALL, print)
    assert result.report.is_good, f"{result.report.table()}\n{result.lost}"
    assert result.report.planted == SMALL.changes
    assert result.killed >= 3
    assert result.in_rebalance == 2
