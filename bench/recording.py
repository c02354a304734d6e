"""Facts a second that record writes to MongoDB (FerretDB), by the length of a round trip.

``python -m bench.recording [FACTS] [ROUND_TRIP_MS …]``

FerretDB reads a whole collection to find some rows, so it is slower the more there are.
"""

import asyncio
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from bench.browsing import facts
from connectors.stores.opening import open_store
from streams.agents.record import BATCH
from tests.harness.mongo_proxy import MongoProxy
from tests.harness.stores import fresh, server

FACTS_OF_SUBSCRIPTION = 4
"""Its begin, a change, a notification and a failed delivery."""
WRITES = ("update", "delete", "insert")


async def main(count: int, round_trips_ms: Sequence[float]) -> None:
    """Record so many facts with each round trip, and print how fast."""
    table = Table("round trip ms", "facts/s", "commands a batch", title=f"{count} facts")
    with TemporaryDirectory() as folder, server(Path(folder)) as url:
        if url is None:
            sys.exit("Needs Go, or the URL of a MongoDB server in VOKTER_TEST_MONGO.")
        for round_trip_ms in round_trips_ms:
            proxy = MongoProxy(fresh(url), round_trip_ms / 1000)
            seconds, batches = await _recorded(proxy, count)
            commands = sum(proxy.commands[each] for each in WRITES) / batches
            table.add_row(f"{round_trip_ms:g}", f"{count / seconds:,.0f}", f"{commands:.1f}")
    Console().print(table)


async def _recorded(proxy: MongoProxy, count: int) -> tuple[float, int]:
    """Record facts through a proxy; return the seconds, and how many batches there were."""
    batches = 0
    with proxy.running() as url:
        store = await open_store(url)
        proxy.commands.clear()
        rest = facts(count // FACTS_OF_SUBSCRIPTION)
        begun = perf_counter()
        while batch := list(islice(rest, BATCH)):
            await store.read_side.record(batch)
            batches += 1
        seconds = perf_counter() - begun
        await store.close()
    return seconds, batches


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    asyncio.run(main(int(given[0]) if given else 10_000, given[1:] or [0, 10]))
