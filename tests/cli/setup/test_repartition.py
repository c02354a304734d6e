"""What ``vokter repartition`` says if it does not come to its end."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka.errors import NodeNotReadyError

from schemas.records.claims import Partitioned
from streams.cli.setup import repartition
from streams.cli.setup.repartition import UnfinishedError, add_partitions
from streams.settings import Settings


@pytest.mark.parametrize(
    "end",
    [asyncio.CancelledError, NodeNotReadyError, TimeoutError],
    ids=["Ctrl-C", "Kafka", "time"],
)
async def test_one_that_is_interrupted_says_that_workers_wait_and_how_to_go_on(
    end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def alone(*_: Any) -> Any:
        yield

    async def planned(*_: Any) -> Partitioned:
        return Partitioned(32, 8, begun=1)

    async def codec(_: Settings) -> None:
        return None

    async def interrupted(*_: Any) -> None:
        raise end

    monkeypatch.setattr(repartition, "_alone", alone)
    monkeypatch.setattr(repartition, "_planned", planned)
    monkeypatch.setattr(repartition, "started_codec", codec)
    monkeypatch.setattr(repartition, "repartition", interrupted)
    with pytest.raises(UnfinishedError, match="All workers wait"):
        await add_partitions(Settings(kafka="127.0.0.1:1"), 32, is_dry=False)
