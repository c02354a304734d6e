"""A table's local copy, without the rest of a worker."""

from pathlib import Path

import faust

from streams.engine.faust.state import PatchedStore, PatchedTable
from streams.engine.faust.table import ROCKSDB


def opened(home: Path) -> PatchedStore:
    """Open the copies in a folder."""
    app = faust.App("test", store="rocksdb://", datadir=str(home), Table=PatchedTable)
    table = app.Table("rows", key_type=bytes, value_type=bytes, options=dict(ROCKSDB))
    store = table.data
    assert isinstance(store, PatchedStore)
    return store
