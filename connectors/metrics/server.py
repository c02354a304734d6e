"""The server of ``/metrics`` and ``/health`` of a process."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.aiohttp import make_aiohttp_handler

from connectors.serving.site import served
from infra.files import replace_text

log = structlog.get_logger()

OFF = "off"


def new_metrics_registry() -> CollectorRegistry:
    """Return a registry with the metrics of every process: memory, CPU, files, garbage."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


@asynccontextmanager
async def serve_metrics(
    address: str, registry: CollectorRegistry, found_at: Path, is_ready: Callable[[], bool]
) -> AsyncIterator[None]:
    """Serve on ``host:port`` until left; serve nothing for ``off``.

    ``/health`` answers 200 while ``is_ready``, else 503. If the port is 0 or in use, a free port is
    chosen: metrics must not keep an agent from working. The address is written to ``found_at``, in
    the format of Prometheus's ``file_sd_configs``, with the file's name as the label ``process``.
    """
    if address == OFF:
        yield
        return
    host, _, port = address.rpartition(":")
    async with AsyncExitStack() as stack:
        stack.callback(found_at.unlink, missing_ok=True)
        for wanted in (int(port), 0):
            app = _app(registry, is_ready)
            try:
                bound = await stack.enter_async_context(served(app, host.strip("[]"), wanted))
            except OSError as error:
                log.warning(
                    "cannot serve metrics on this port", host=host, port=wanted, error=str(error)
                )
            else:
                labels = {"process": found_at.stem}
                found_at.parent.mkdir(parents=True, exist_ok=True)
                replace_text(
                    found_at, json.dumps([{"targets": [f"{host}:{bound}"], "labels": labels}])
                )
                break
        yield


def _app(registry: CollectorRegistry, is_ready: Callable[[], bool]) -> web.Application:
    async def health(_: web.Request) -> web.Response:
        ready = is_ready()
        text = "ok" if ready else "no partitions are assigned yet"
        return web.Response(text=text, status=200 if ready else 503)

    app = web.Application()
    app.router.add_get("/metrics", make_aiohttp_handler(registry))
    app.router.add_get("/health", health)
    return app
