"""Hard views of hard pages: the process is killed, that view has failed, all else goes on."""

import asyncio
import gc
from functools import partial

import pytest
from prometheus_client import CollectorRegistry

from connectors.metrics.counters import FetchMetrics
from connectors.processes import documents
from connectors.processes.documents import DocumentProcesses
from connectors.readers.reading import read_with_plugins
from schemas.records.answers import Response
from schemas.records.fetches import Due
from schemas.records.subscriptions import Options
from schemas.records.views import Selector, ViewOptions
from streams.agents.fetch.reading_queue import ReadingQueue
from streams.agents.fetch.visit import visit
from streams.effects.fetch import PRELOADED, UNREADABLE, _examined
from streams.values.views import view_id, view_of
from tests.fakes.snapshots import stored_under
from tests.fakes.views import views_of
from tests.fakes.visiting import MINUTE, URL
from tests.fakes.world import FetchFailed, Scene

SECONDS = 4.0
WAKES = 30
"""How often the loop wakes at least while a process works for so long, and is asked to each ms."""
MANY = b"<p>a" * 100_000
TREE = b'{"a":' * 90 + b"[" + b"1," * 2_000 + b"1]" + b"}" * 90
HARD = {
    "every second of 100,000 siblings": (MANY, "text/html", Selector(css="p:nth-child(2n)")),
    "elements in 100,000 others": (
        b"<div>" * 100_000 + b"a",
        "text/html",
        Selector(css="div div div div div > i"),
    ),
    "all elements in all others": (
        b"<a>" + b"<b/>" * 20_000 + b"</a>",
        "text/xml",
        Selector(xpath="//*[//*[//*[name() = 'c']]]"),
    ),
    "values below values below values": (
        TREE,
        "application/json",
        Selector(jsonpath="$..[*]..[*]..[*]..[*]"),
    ),
}


async def wake(wakes: list[int]) -> None:
    while True:
        await asyncio.sleep(0.001)
        wakes[0] += 1


# tests/connectors/processes has all kinds of hard views, and what ends them.
@pytest.mark.parametrize(
    "name",
    [each if n == 0 else pytest.param(each, marks=pytest.mark.slow) for n, each in enumerate(HARD)],
)
async def test_a_hard_view_is_a_counted_failure_by_itself_and_the_loop_goes_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Work may take as long as it likes if others have the CPU meanwhile.
    monkeypatch.setattr(documents, "WALL_FACTOR", 1_000)
    body, kind, selector = HARD[name]
    hard, other = Options(view=ViewOptions(select=(selector,))), Options(content_type="text/plain")
    registry, scene, wakes = CollectorRegistry(), Scene(), [0]
    scene.web.pages[URL] = Response(200, body, kind)
    async with DocumentProcesses(1, SECONDS, PRELOADED, gc.freeze) as processes:
        queue = ReadingQueue(processes.call_each, 1, SECONDS)
        reader = partial(read_with_plugins, "nowhere")
        effects = scene.effects()
        examined = partial(_examined, queue, FetchMetrics(registry), reader)
        object.__setattr__(effects, "examine", examined)
        object.__setattr__(effects, "failures", (FetchFailed, *UNREADABLE))
        counting = asyncio.create_task(wake(wakes))
        await visit(effects, Due(URL, "w", MINUTE, views_of(hard, other)), None)
        counting.cancel()
    states = {
        name: scene.store.documents[stored_under(URL, view_id(view_of(options, "default")))]
        for name, options in (("hard", hard), ("other", other))
    }
    assert {name: state.failures for name, state in states.items()} == {"hard": 1, "other": 0}
    assert states["other"].text is not None
    assert registry.get_sample_value("vokter_pages_total", {"outcome": "too_costly"}) == 1
    assert wakes[0] > WAKES
