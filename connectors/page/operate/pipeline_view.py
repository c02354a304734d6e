"""How the deployment is: its stages, broker and store, and what its checks find."""

from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web
from aiokafka.errors import KafkaError

from connectors.kafka.progress import PipelineProgress
from connectors.metrics.scraping import Latency
from connectors.page.operate.stages import (
    PipelineAgent,
    ShownFinding,
    shown_latency,
    shown_stages,
    worst_first,
)
from connectors.page.rendering import Views
from connectors.reads.deployment_health import HealthReader
from connectors.single_flight import SharedAnswer

PROGRESS_FRESH_S = 4.0
"""Less than the time after which a page asks again."""
FINDINGS_FRESH_S = 60.0
"""The checks take seconds, and ask the broker and the store much."""


@dataclass(frozen=True, slots=True)
class PipelinePorts:
    """The agents, and what is known of the deployment, asked once for all visitors.

    ``latency`` is that of the workers on this machine.
    """

    agents: Sequence[PipelineAgent]
    progress: SharedAnswer[PipelineProgress]
    latency: SharedAnswer[Latency | None]
    findings: SharedAnswer[Sequence[ShownFinding]]


class PipelineHandler:
    """The handler of the stages' health."""

    def __init__(self, health: HealthReader, ports: PipelinePorts, views: Views) -> None:
        """Show what ``GET /health`` says, and more."""
        self._health = health
        self._ports = ports
        self._views = views

    async def pipeline(self, request: web.Request) -> web.Response:
        """Answer with the picture of the stages, and with all problems."""
        found, progress = await gather(self._health.state(), self._progress())
        findings = self._ports.findings.latest()  # checks take longer than anybody waits
        return await self._views.page(
            request,
            "pipeline",
            title="Pipeline",
            found=found,
            problems=[p for p in found.problems if p.partition(":")[0] not in found.stages],
            stages=shown_stages(self._ports.agents, found.stages, progress),
            latency=shown_latency(await self._ports.latency.get()),
            is_checked=findings is not None,
            findings=worst_first(findings or ()),
            fine=[each for each in findings or () if each.level == "ok"],
        )

    async def _progress(self) -> PipelineProgress | None:
        """Return how far the stages are; None if the broker does not say so."""
        try:
            return await self._ports.progress.get()
        except (KafkaError, OSError):
            return None
