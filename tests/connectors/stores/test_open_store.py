"""Opening the store that a URL names."""

import subprocess
import sys

import pytest

from connectors.stores.errors import StoreRefused
from connectors.stores.opening import Store, open_store


@pytest.mark.parametrize("url", ["store.db", "redis://host/db", "sqlite:", ""])
async def test_a_url_that_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match="expected sqlite:PATH or mongodb://HOST/DATABASE"):
        await open_store(url)


@pytest.mark.parametrize("url", ["postgres://me:secret@host/db", "mongodb://me:secr:et@ho st:x/db"])
async def test_a_password_in_a_wrong_url_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreRefused) as refused:
        await open_store(url)
    assert "secr" not in str(refused.value)


async def test_a_store_answers_a_ping(store: Store) -> None:
    await store.ping()


def test_a_driver_is_imported_only_where_its_store_is_used() -> None:
    program = "import sys, connectors.stores.opening; sys.exit('pymongo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
