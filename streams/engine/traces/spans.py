"""Make the spans of one agent; a header of each message links them to the agent before."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from schemas.records.log_ids import trail
from streams.values.outcome import Event, Lookup, Outcome, Publish, Send

HEADER = "traceparent"
"""The header's name and form are those of W3C Trace Context."""
_CONTEXT = TraceContextTextMapPropagator()


class Tracing:
    """Makes spans: a trace begins with a fetch, and goes on with each message that says so."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("vokter")

    def beginning(
        self, name: str, work: Callable[..., Awaitable[Any]], about: Callable[..., object]
    ) -> Callable[..., Awaitable[Any]]:
        """Begin a trace at each call of ``work``; ``about`` returns the record that it is about."""

        async def begun(*arguments: Any) -> Any:
            with self._tracer.start_as_current_span(name, attributes=_ids(about(*arguments))):
                return await work(*arguments)

        return begun

    def publishing(self, publish: Publish) -> Publish:
        """Link what is published to the span in which that happens."""

        async def linked(sends: Iterable[Send]) -> None:
            await publish(_marked(sends, _mark()))

        return linked

    def agent(self, name: str, agent: Any) -> Any:
        """Wrap an agent of any kind, so that each event with a trace gets a span."""
        return _Traced(name, agent, self)

    @contextmanager
    def handling(self, name: str, event: Event) -> Iterator[Callable[[Outcome], Outcome]]:
        """Continue the trace of an event, if it has one; yields what links its outcome to it."""
        if not any(header == HEADER for header, _ in event.headers):
            yield lambda outcome: outcome
            return
        carrier = {key: str(value, "ascii", "replace") for key, value in event.headers if value}
        with self._tracer.start_as_current_span(
            name,
            context=_CONTEXT.extract(carrier),
            kind=SpanKind.CONSUMER,
            attributes=_ids(event.fact),
        ):
            yield _linked

    def stop(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class _Traced:
    """An agent that makes a span of each event that has a trace."""

    def __init__(self, name: str, agent: Any, tracing: Tracing) -> None:
        self._name = name
        self._agent = agent
        self._tracing = tracing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def decide(self, event: Event) -> Outcome:
        with self._tracing.handling(self._name, event) as linked:
            return linked(self._agent.decide(event))

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        with self._tracing.handling(self._name, event) as linked:
            return linked(await self._agent.handle(event, lookup))


def exporting(service: str) -> Tracing:
    """Return a Tracing that exports a service's spans to where OpenTelemetry's variables say."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)


def _linked(outcome: Outcome) -> Outcome:
    """Link an event's outputs to its span; those that are decided later stay lazy."""
    mark = _mark()
    rest = outcome.rest and (
        replace(part, sends=tuple(_marked(part.sends, mark))) for part in outcome.rest
    )
    return replace(outcome, sends=tuple(_marked(outcome.sends, mark)), rest=rest)


def _mark() -> tuple[str, bytes]:
    carrier: dict[str, str] = {}
    _CONTEXT.inject(carrier)
    return HEADER, carrier.get(HEADER, "").encode()


def _marked(sends: Iterable[Send], mark: tuple[str, bytes]) -> Iterator[Send]:
    for send in sends:
        others = tuple(header for header in send.headers if header[0] != HEADER)
        yield replace(send, headers=(*others, mark) if mark[1] else others)


def _ids(record: object) -> Mapping[str, str]:
    return {f"vokter.{name}": value for name, value in trail(record).items()}
