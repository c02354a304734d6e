"""A collector of OpenTelemetry's spans, as its protocol (OTLP over HTTP) has it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.harness.web import served


@dataclass
class Collector:
    """Spans that came in, each with the name of its service."""

    url: str = ""
    spans: list[tuple[str, Span]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        if (request.method, request.path) != ("POST", "/v1/traces"):
            return web.Response(status=404)
        for sent in ExportTraceServiceRequest.FromString(await request.read()).resource_spans:
            names = {each.key: each.value.string_value for each in sent.resource.attributes}
            spans = [span for scope in sent.scope_spans for span in scope.spans]
            self.spans += [(names["service.name"], span) for span in spans]
        return web.Response(content_type="application/x-protobuf")


@asynccontextmanager
async def collecting() -> AsyncIterator[Collector]:
    """Collect spans until left."""
    collector = Collector()
    async with served(collector.answer) as (collector.url,):
        yield collector
