"""``vokter store copy``."""

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

from connectors.stores.copying import copy_rows
from connectors.stores.errors import StoreRefused
from connectors.stores.opening import open_copy_target, open_store
from streams.cli.output import say
from streams.cli.progress import progress


async def copy_store(source: str, target: str, overwrite: bool, bodies: str | None = None) -> None:
    """Copy a store into another, both named by their URLs, and print the number of copied rows.

    ``bodies`` is the object store of both.
    """
    _check(source)
    async with AsyncExitStack() as stack:
        begin = await open_store(source, bodies=bodies)
        stack.push_async_callback(begin.close)
        end = await open_copy_target(target, bodies=bodies)
        stack.push_async_callback(end.close)
        say(f"Copying {begin.location} to {end.location} ...")
        counts: Counter[str] = Counter()
        with progress("rows") as advance:

            def copied(table: str, count: int) -> None:
                counts[table] += count
                advance(count)

            await copy_rows(begin, end, overwrite=overwrite, advance=copied)
        for table, count in sorted(counts.items()):
            say(f"  {table}: {count}")
        say("Done. Set VOKTER_STORE to the new store, then run 'vokter store claim'.")


def _check(source: str) -> None:
    """Refuse a missing source: opening an SQLite file would create the file."""
    scheme, _, path = source.partition(":")
    if scheme == "sqlite" and not Path(path).expanduser().is_file():
        raise StoreRefused(f"Refused: there is no store at {source}")
