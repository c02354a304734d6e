"""How the fetch agent is wired: what cannot be read is a failure of its view alone."""

from functools import partial
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from connectors.metrics.counters import FetchMetrics
from connectors.processes.errors import TooHard
from connectors.readers.errors import NothingSelected, Unreadable
from schemas.records.answers import Response
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.effects.fetch import UNREADABLE, _examined

FETCHED = FetchedPage(Response(200, b"text"), b"hash", at=1)
WORK = None, DueView("https://a.example/", "watch", 1, WatchedView())


class Queue:
    """Reads no page."""

    def __init__(self, error: Exception, *, is_raised: bool) -> None:
        self._error = error
        self._is_raised = is_raised

    async def read(self, *_: Any) -> list[Exception]:
        if self._is_raised:
            raise self._error
        return [self._error]


def counted(metrics: CollectorRegistry) -> dict[str, float]:
    """How many pages had each outcome."""
    return {
        sample.labels["outcome"]: sample.value
        for family in metrics.collect()
        for sample in family.samples
        if sample.labels.get("outcome") in UNREADABLE.values() and sample.value
    }


@pytest.mark.parametrize("is_raised", [True, False])
@pytest.mark.parametrize(
    ("error", "label"),
    [(NothingSelected("nothing"), "missing")]
    + [(kind("why"), label) for kind, label in UNREADABLE.items()],
    ids=repr,
)
async def test_a_page_that_a_view_cannot_read_is_counted(
    error: Exception, label: str, is_raised: bool
) -> None:
    registry = CollectorRegistry()
    queue: Any = Queue(error, is_raised=is_raised)
    examined = partial(_examined, queue, FetchMetrics(registry), _no_reader)
    if is_raised:
        with pytest.raises(type(error)):
            await examined([WORK], FETCHED)
    else:
        assert await examined([WORK], FETCHED) == [error]
    assert counted(registry) == {label: 1}


async def test_views_that_are_too_hard_together_are_no_failure_yet() -> None:
    registry = CollectorRegistry()
    queue: Any = Queue(TooHard("why"), is_raised=True)
    with pytest.raises(TooHard):
        await _examined(queue, FetchMetrics(registry), _no_reader, [WORK, WORK], FETCHED)
    assert counted(registry) == {}


def _no_reader(*_: Any) -> Any:
    raise Unreadable("not read here")
