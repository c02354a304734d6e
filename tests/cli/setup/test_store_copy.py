"""``vokter store copy``; what a copy has is in the tests of the stores."""

import asyncio
import json
from pathlib import Path

import pytest

from connectors.stores.errors import StoreRefused
from connectors.stores.opening import open_copy_target, open_store
from schemas.records.documents import Document
from streams.cli.setup.store_copy import copy_store


async def test_a_store_is_copied_and_what_was_copied_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = f"sqlite:{tmp_path / 'a.db'}", f"sqlite:{tmp_path / 'b.db'}"
    document = Document("http://example.test/", "w", 1, 1)
    store = await open_store(source)
    await store.snapshots.compare_and_set(document, 0)
    await store.close()
    await copy_store(source, target, overwrite=False)
    assert "documents: 1\n" in capsys.readouterr().err
    copied = await open_store(target)
    assert await copied.snapshots.document(document.url) == document
    await copied.close()


async def test_an_interrupted_copy_goes_on_by_the_same_command_and_is_no_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = f"sqlite:{tmp_path / 'a.db'}", f"sqlite:{tmp_path / 'b.db'}"
    source, target = await open_store(first), await open_copy_target(second)
    noted = {"source": source.identity, "table": "documents", "after": None}
    await target.rows.note_copy(json.dumps(noted))
    await source.close()
    await target.close()
    with pytest.raises(StoreRefused, match="is not complete"):
        await copy_store(second, f"sqlite:{tmp_path / 'c.db'}", overwrite=False)
    await copy_store(first, second, overwrite=False)
    assert "Done." in capsys.readouterr().err
    await (await open_store(second)).close()


def test_a_mistyped_file_is_no_empty_store(tmp_path: Path) -> None:
    missing = tmp_path / "typo.db"
    with pytest.raises(StoreRefused, match="there is no store"):
        asyncio.run(copy_store(f"sqlite:{missing}", f"sqlite:{tmp_path / 'b.db'}", False))
    assert list(tmp_path.iterdir()) == []
