"""Spans of one stage, which a header of each message links to those of the stage before."""

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

from schemas.trail import trail
from streams.core.outcome import Event, Lookup, Outcome, Publish, Send

HEADER = "traceparent"
"""The header's name and form are those of W3C Trace Context."""
_CONTEXT = TraceContextTextMapPropagator()


class Tracing:
    """Makes spans; what is traced begins with a fetch, and goes on where a message says so."""

    def __init__(self, provider: TracerProvider) -> None:
        """Take where spans go."""
        self._provider = provider
        self._tracer = provider.get_tracer("vokter")

    def beginning(
        self, name: str, work: Callable[..., Awaitable[Any]], about: Callable[..., object]
    ) -> Callable[..., Awaitable[Any]]:
        """Begin a trace at each call of ``work``; ``about`` gives the record that it is about."""

        async def begun(*arguments: Any) -> Any:
            with self._tracer.start_as_current_span(name, attributes=_ids(about(*arguments))):
                return await work(*arguments)

        return begun

    def publishing(self, publish: Publish) -> Publish:
        """Link what is published to the span in which it is."""

        async def linked(sends: Iterable[Send]) -> None:
            await publish(_marked(sends, _mark()))

        return linked

    def stage(self, name: str, stage: Any) -> Any:
        """Give a stage of either kind each of whose events with a trace is a span of it."""
        return _Traced(name, stage, self)

    @contextmanager
    def handling(self, name: str, event: Event) -> Iterator[None]:
        """Go on with the trace of an event."""
        carrier = {key: str(value, "ascii", "replace") for key, value in event.headers if value}
        with self._tracer.start_as_current_span(
            name,
            context=_CONTEXT.extract(carrier),
            kind=SpanKind.CONSUMER,
            attributes=_ids(event.fact),
        ):
            yield

    def stop(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class _Traced:
    """A stage as it was, but for the handling of events that have a trace."""

    def __init__(self, name: str, stage: Any, tracing: Tracing) -> None:
        self._name = name
        self._stage = stage
        self._tracing = tracing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stage, name)

    def decide(self, event: Event) -> Outcome:
        outcome: Outcome
        if not _has_trace(event):
            outcome = self._stage.decide(event)
            return outcome
        with self._tracing.handling(self._name, event):
            outcome = self._stage.decide(event)
            return _linked(outcome)

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        outcome: Outcome
        if not _has_trace(event):
            outcome = await self._stage.handle(event, lookup)
            return outcome
        with self._tracing.handling(self._name, event):
            outcome = await self._stage.handle(event, lookup)
            return _linked(outcome)


def exporting(service: str) -> Tracing:
    """Send spans to where OpenTelemetry's own variables say, as those of a service."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)


def _has_trace(event: Event) -> bool:
    return any(name == HEADER for name, _ in event.headers)


def _linked(outcome: Outcome) -> Outcome:
    """Link what comes of an event to the span that it is in; what is made later stays so."""
    sends = _marked(outcome.sends, _mark())
    return replace(outcome, sends=sends if outcome.is_long else tuple(sends))


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
