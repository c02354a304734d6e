"""Where Vokter keeps its snapshots and its read side."""

from pathlib import Path

from connectors.stores.base import Store
from connectors.stores.sqlite.store import SqliteStore

__all__ = ["Store", "open_store"]


def open_store(url: str) -> Store:
    """Open the store that ``url`` names: ``sqlite:PATH``.

    Raises ValueError for another URL, StoreRefused for a store that is not to
    be used from this machine, StoreUnavailable for one that does not answer.
    """
    scheme, _, place = url.partition(":")
    if scheme != "sqlite" or not place:
        raise ValueError(f"unknown store {url!r}: expected sqlite:PATH")
    return SqliteStore.open(Path(place).expanduser())
