"""A view asks the store for little, however much there is."""

import sqlite3
from itertools import islice
from typing import Any

import pytest
from aiohttp import ClientSession

from bench.browsing import VIEWS, facts
from connectors.stores.sqlite import file
from tests.harness.page import ServedPage

MOST = 30
SUBSCRIPTIONS = 200
FACTS = 4
"""Of each subscription."""


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that are run in the reader's transactions."""
    seen: list[str] = []
    in_transaction = file.in_transaction

    def traced(connection: sqlite3.Connection, query: Any) -> Any:
        connection.set_trace_callback(seen.append)
        return in_transaction(connection, query)

    monkeypatch.setattr(file, "in_transaction", traced)
    return seen


@pytest.mark.parametrize("view", VIEWS)
async def test_a_view_makes_at_most_thirty_queries(
    served: ServedPage, http: ClientSession, queries: list[str], view: str
) -> None:
    await served.store.read_side.record(list(islice(facts(SUBSCRIPTIONS), FACTS * SUBSCRIPTIONS)))
    path = VIEWS[view].format(middle=SUBSCRIPTIONS // 2)
    async with http.get(served.base + path) as answer:
        assert answer.status == 200
    asked = [each for each in queries if each not in {"BEGIN", "COMMIT"}]
    assert len(asked) <= MOST, asked
