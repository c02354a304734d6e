"""Traces: begun by a fetch, linked from agent to agent, and nothing where nobody wants them."""

import subprocess
import sys
from collections.abc import Iterable

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from schemas.records.fetches import Due
from streams.engine.traces.spans import HEADER, Tracing
from streams.engine.traces.tracing import tracing
from streams.values.outcome import Event, Lookup, Outcome, Send
from tests.fakes.events import event, no_rows
from tests.fakes.notifications import NOTIFICATION

TRACE = b"00-" + b"a" * 32 + b"-" + b"b" * 16 + b"-01"
DUE = Due("http://page.test/", "w", 1)


class Passing:
    """An agent of either kind that sends on what it gets."""

    def decide(self, event: Event) -> Outcome:
        return Outcome((Send("out", "key", event.fact, headers=(("other", b"1"),)),))

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        return self.decide(event)

    def sizes(self) -> dict[str, int]:
        return {"kept": 1}


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def traces(exporter: InMemorySpanExporter) -> Tracing:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return Tracing(provider)


def taken(send: Send) -> Event:
    """What the next agent reads."""
    return event(send.record, headers=send.headers)


def parent(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


async def test_one_trace_leads_from_the_fetch_to_the_delivery(
    traces: Tracing, exporter: InMemorySpanExporter
) -> None:
    published: list[Send] = []

    async def publish(sends: Iterable[Send]) -> None:
        published.extend(sends)

    async def visit(world: str, due: Due) -> str:
        await traces.publishing(publish)([Send("changes", due.url, NOTIFICATION)])
        return world

    assert await traces.beginning("fetch", visit, lambda _, due: due)("world", DUE) == "world"
    (sent,) = traces.agent("match", Passing()).decide(taken(published[0])).sends
    await traces.agent("deliver", Passing()).handle(taken(sent), no_rows)

    fetch, match, deliver = exporter.get_finished_spans()
    assert [span.name for span in (fetch, match, deliver)] == ["fetch", "match", "deliver"]
    assert len({span.context.trace_id for span in (fetch, match, deliver)}) == 1
    assert [parent(span) for span in (fetch, match, deliver)] == [
        None,
        fetch.context.span_id,
        match.context.span_id,
    ]
    assert dict(fetch.attributes or {}) == {"vokter.watch": "w"}
    assert dict(deliver.attributes or {})["vokter.notification"] == NOTIFICATION.id
    names = [name for name, _ in sent.headers]
    assert names == ["other", HEADER], "what was there stays"


def test_what_is_made_while_it_is_sent_is_linked_and_still_made_then(traces: Tracing) -> None:
    made: list[int] = []

    class Many(Passing):
        def decide(self, event: Event) -> Outcome:
            return Outcome(rest=(Outcome((self.one(number),)) for number in range(3)))

        def one(self, number: int) -> Send:
            made.append(number)
            return Send("out", str(number), None)

    with_trace = event(NOTIFICATION, headers=((HEADER, TRACE),))
    outcome = traces.agent("match", Many()).decide(with_trace)
    assert outcome.rest is not None
    assert made == []
    sends = [send for part in outcome.rest for send in part.sends]
    (mark,) = {value for send in sends for _, value in send.headers}
    assert mark.split(b"-")[1] == TRACE.split(b"-")[1]


async def test_an_event_without_a_trace_is_handled_as_ever(
    traces: Tracing, exporter: InMemorySpanExporter
) -> None:
    agent = traces.agent("match", Passing())
    for outcome in (
        agent.decide(event(NOTIFICATION)),
        await agent.handle(event(NOTIFICATION), no_rows),
    ):
        (send,) = outcome.sends
        assert send.headers == (("other", b"1"),)
    assert exporter.get_finished_spans() == ()
    assert agent.sizes() == {"kept": 1}


@pytest.mark.parametrize("value", [b"rubbish", b"", b"\xff\xfe"])
def test_a_broken_header_of_somebody_elses_harms_nothing(traces: Tracing, value: bytes) -> None:
    strange = event(NOTIFICATION, headers=((HEADER, value),))
    (send,) = traces.agent("match", Passing()).decide(strange).sends
    assert send.record == NOTIFICATION


def test_nothing_is_imported_where_no_traces_are_wanted() -> None:
    program = (
        "import sys, streams.effects.agents\nfrom streams.engine.traces.tracing import tracing\n"
        "assert tracing('fetch', {}) is None\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_without_the_library_a_line_says_so_and_the_agent_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "streams.engine.traces.spans", None)
    assert tracing("fetch", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}) is None


def test_where_traces_are_wanted_there_are_some() -> None:
    found = tracing("fetch", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})
    assert isinstance(found, Tracing)
    found.stop()
