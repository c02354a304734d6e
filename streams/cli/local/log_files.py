"""The logs of ``vokter up``: what they take on the disk has a limit."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

MAX_LOG = 10_000_000
"""Bytes of a log, after which it is continued from its beginning."""
KEPT = 2
"""Older parts that are kept of each log: NAME.log.1 is the newest of them."""
LOOK_EVERY_S = 1.0


async def keep_logs_small(logs: Sequence[Path]) -> None:
    """Rotate each log whenever it is too large, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        for log in logs:
            with suppress(OSError):  # deleted, or there is no space; look again
                if log.stat().st_size > MAX_LOG:
                    await asyncio.to_thread(rotate_log, log)


def rotate_log(log: Path) -> None:
    """Move what is in a log to NAME.log.1, and older parts one further.

    The process that writes the log goes on with the same file, so this copies and truncates;
    lines that come in between are lost.
    """
    for number in range(KEPT, 1, -1):
        with suppress(FileNotFoundError):
            _part(log, number - 1).replace(_part(log, number))
    try:
        shutil.copyfile(log, _part(log, 1))
    finally:
        os.truncate(log, 0)  # on a full disk this makes the space that a copy lacks


def _part(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
