"""OpenTelemetry traces, if its variables ask for them; see docs/logs.md."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing

log = structlog.get_logger()

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def tracing(agent: str, environ: Mapping[str, str] = os.environ) -> "Tracing | None":
    """Return what traces an agent; None if nobody asks for traces, or OpenTelemetry is missing."""
    if not any(environ.get(name) for name in ENDPOINTS):
        return None
    try:
        # A worker that does not trace neither needs it nor waits for its import.
        from streams.engine.traces.spans import exporting  # noqa: PLC0415
    except ImportError as error:
        log.warning("there will be no traces", missing=error.name, remedy="install vokter[otel]")
        return None
    return exporting(environ.get("OTEL_SERVICE_NAME", f"vokter-{agent}"))
