"""``vokter`` whose match can be made to die between an answer and its row, by a file.

It also reads a request only when a change has been read, or after a while: the
worst order there can be for a restarted one.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streams.cli import main
from streams.core.outcome import Put
from streams.engine.acks.flow import Flow
from streams.engine.faust.table import ChangelogTable

STATUS = 99
TIMEOUT_S = 3.0

DIES = "dies"
"""Where this file is in the data folder, the next row of the register is not written."""
seen = asyncio.Event()
write, take = ChangelogTable.write, Flow.take


async def forget(self: ChangelogTable, partition: int, puts: Sequence[Put]) -> None:
    """Write rows, or die."""
    if puts and "match-subscriptions" in self.changelog:
        die_if_told()
    await write(self, partition, puts)


def die_if_told() -> None:
    """Take the file away and die where there is one."""
    dies = Path(os.environ["VOKTER_DATA_DIR"], DIES)
    if dies.exists():
        dies.unlink()
        os._exit(STATUS)


async def dawdle(self: Flow, message: Any) -> None:
    """Take a message; a request after a change, if one comes."""
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
