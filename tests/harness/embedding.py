"""A program that embeds the watcher: notes in a file what its handler is called with."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from vokter import JobManager, Matches, Session

LINE = (sys.executable, "-m", __name__)


def notified(file: Path) -> list[dict[str, Any]]:
    """What a program has noted so far."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [json.loads(line) for line in lines]


async def main(name: str, kafka: str, prefix: str, file: str) -> None:
    async with JobManager(name, kafka, prefix=prefix) as manager:

        @manager.on_notification
        async def changed(url: str, content_type: str, session: Session, matches: Matches) -> None:
            texts = [match.text for match in matches]
            note = {"session": session.id, "type": content_type, "texts": texts}
            with Path(file).open("a", encoding="utf-8") as notes:  # noqa: ASYNC230 - a line
                notes.write(json.dumps(note) + "\n")

        running = asyncio.create_task(manager.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        await asyncio.wait([running])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
