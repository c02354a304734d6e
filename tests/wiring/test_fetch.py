"""How the fetch stage is wired: what cannot be read is a failure of its view alone."""

from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from connectors.metrics.counters import FetchMetrics
from connectors.readers.errors import NothingSelected, Unreadable
from schemas.answers import Response
from schemas.views import WatchedView
from streams.core.fetching.due_view import DueView
from streams.fetch.examining import FetchedResponse
from streams.wiring.fetch import UNREADABLE, _examined


class Queue:
    """Reads no page."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def read(self, *_: Any) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "label"),
    [(NothingSelected("nothing"), "missing")]
    + [(kind("why"), label) for kind, label in UNREADABLE.items()],
    ids=repr,
)
async def test_a_page_that_a_view_cannot_read_is_counted(error: Exception, label: str) -> None:
    registry = CollectorRegistry()
    metrics = FetchMetrics(registry)
    due = DueView("https://a.example/", "watch", 1, WatchedView())
    fetched = FetchedResponse(Response(200, b"text"), b"hash", at=1)
    with pytest.raises(type(error)):
        await _examined(Queue(error), metrics, _no_reader, None, due, fetched)  # type: ignore[arg-type]
    counted = {
        sample.labels["outcome"]
        for family in registry.collect()
        for sample in family.samples
        if sample.labels.get("outcome") in UNREADABLE.values() and sample.value == 1
    }
    assert counted == {label}


def _no_reader(*_: Any) -> Any:
    raise Unreadable("not read here")
