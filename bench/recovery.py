"""How long a match worker takes from its start to its first event, and its memory then.

``python -m bench.recovery [SUBSCRIPTIONS]``: on an empty disk, after a clean stop
on its own data, and after a kill; for many documents, and all for one. Linux only.
"""

import asyncio
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.deployed import filled, started
from bench.race.usage import family, memory
from bench.workload import registered, specific_keyword, subscription, vocabulary
from infra.broker import LocalBroker
from schemas.records.table_rows import Registration
from streams.agents.match.register.requests import Target
from tests.harness.processes import Deployment

SUBSCRIPTIONS = 100_000
PER_DOCUMENT = 5
STARTS = (
    ("on an empty disk", None),
    ("on its data, stopped", signal.SIGTERM),
    ("on its data, killed", signal.SIGKILL),
)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIPTIONS
    names = (f"{name}, s" for name, _ in STARTS)
    table = Table("documents", *names, "MB", title=f"{count:,} subscriptions")
    with tempfile.TemporaryDirectory() as folder, LocalBroker(Path(folder, "kafka"), 0) as broker:
        for number, documents in enumerate((count // PER_DOCUMENT, 1)):
            home = Path(folder, str(number))
            with Deployment(broker.bootstrap, home) as deployment:
                asyncio.run(
                    filled(deployment.settings, "match", "subscriptions", rows(count, documents))
                )
                row = [f"{started(deployment, 'match', end):.1f}" for _, end in STARTS]
                used = memory(family(deployment["match"].pid))
            table.add_row(f"{documents:,}", *row, f"{used / 1e6:.0f}")
    Console().print(table)


def rows(count: int, documents: int) -> Iterator[tuple[str, bytes, Registration]]:
    """Yield URL, key and record of each row."""
    chance = random.Random(1)  # noqa: S311 - to be repeated, not to be secret
    words = vocabulary(chance)
    for number in range(count):
        url = f"http://example.org/{number % documents}"
        kept = subscription(number, specific_keyword(words, chance), chance)
        yield url, Target("", url, kept.receiver).key, registered(kept)


if __name__ == "__main__":
    main()
