"""Watch a page from your own program.

python examples/library.py URL WORD… reads VOKTER_KAFKA, VOKTER_TOPIC_PREFIX and INTERVAL (seconds).
"""

import asyncio
import os
import sys

from vokter import JobManager, Matches, Options, Session, matches_text, returned_text

KAFKA = os.environ.get("VOKTER_KAFKA", "127.0.0.1:9092")
PREFIX = os.environ.get("VOKTER_TOPIC_PREFIX", "vokter.")
INTERVAL = int(os.environ.get("INTERVAL", "900"))


async def main(url: str, words: list[str]) -> None:
    """Print changes until Ctrl-C, then cancel."""
    session = Session("client-1")
    async with JobManager("news-desk", kafka=KAFKA, prefix=PREFIX) as manager:

        @manager.on_notification
        async def changed(url: str, content_type: str, session: Session, matches: Matches) -> None:
            notes = [matches.title, returned_text(matches.returned) if matches.returned else ""]
            lines = *filter(None, notes), matches_text(matches)
            print(f"{session.id}: {url}", *lines, sep="\n", flush=True)

        @manager.on_timeout
        async def gone(url: str, content_type: str, session: Session) -> None:
            print(f"{session.id}: {url} can no longer be read", flush=True)

        options = Options(interval=INTERVAL, enable_stemming=True, ignore_case=True)
        await manager.add(url, session, words, options, replace=True)
        print(f"watching {url}", flush=True)
        try:
            await manager.run()
        finally:
            await manager.cancel(url, session)
            print("no longer watching")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
