"""``vokter`` with a match that a file makes die between an answer and its row.

It also reads a request only after a change, or after a while: the worst order
for a restarted match.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from streams.cli import main
from streams.engine.acks.flow import Flow
from streams.engine.faust.table import ChangelogTable
from streams.values.outcome import Put

STATUS = 99
TIMEOUT_S = 3.0

DIES = "dies"
"""If this file is in the data folder, the next row of the register is not written."""
seen = asyncio.Event()
write, take = ChangelogTable.write, Flow.take


async def forget(self: ChangelogTable, puts: Mapping[int, Sequence[Put]]) -> None:
    """Write rows, or die."""
    if "match-subscriptions" in self.changelog:
        die_if_asked()
    await write(self, puts)


def die_if_asked() -> None:
    """Delete the file and die, if it exists."""
    dies = Path(os.environ["VOKTER_DATA_DIR"], DIES)
    if dies.exists():
        dies.unlink()
        os._exit(STATUS)


async def dawdle(self: Flow, message: Any) -> None:
    """Accept a message; a request after a change, if one comes."""
    if message.topic.endswith("changes"):
        await take(self, message)
        seen.set()
        return
    if message.topic.endswith("subscription-requests"):
        await asyncio.wait([asyncio.create_task(seen.wait())], timeout=TIMEOUT_S)
    await take(self, message)


if __name__ == "__main__":
    ChangelogTable.write, Flow.take = forget, dawdle  # type: ignore[method-assign]  # what this is for
    main()
