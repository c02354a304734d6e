"""Changes of pages that are flapping are counted."""

from functools import partial
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from connectors.metrics.counters import FetchMetrics
from schemas.records.answers import Response
from schemas.records.documents import Document
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.effects.fetch import _examined

DUE = DueView("http://a.test/", "w", 1000, WatchedView())
FETCHED = FetchedPage(Response(200, b"x"), b"hash", at=4999)


@pytest.mark.parametrize(
    ("flapping_until", "records", "counted"),
    [(5000, (b"change",), 1), (4999, (b"change",), 0), (5000, (), 0)],
)
async def test_a_change_of_a_page_that_is_flapping_is_counted(
    flapping_until: int, records: tuple[bytes, ...], counted: int
) -> None:
    after = Document(DUE.url, "w", 1000, unpublished=records, flapping_until=flapping_until)

    class Queue:
        async def read(self, *_: Any) -> list[Document]:
            return [after]

    registry = CollectorRegistry()
    examined = partial(_examined, Queue(), FetchMetrics(registry), None)  # type: ignore[arg-type]  # never called
    assert await examined([(None, DUE)], FETCHED) == [after]
    assert registry.get_sample_value("vokter_flapping_changes_total") == counted
