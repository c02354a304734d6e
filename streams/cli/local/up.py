"""``vokter up``."""

import asyncio

from streams.cli.local.deployment import deployment
from streams.cli.text import say
from streams.settings import Settings


async def run(settings: Settings) -> None:
    """Run a deployment until cancelled."""
    async with deployment(settings, say):
        say("Ctrl-C stops it.")
        await asyncio.Event().wait()
