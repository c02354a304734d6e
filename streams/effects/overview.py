"""The data of the page's picture of the pipeline."""

from collections.abc import Awaitable, Callable, Sequence
from time import monotonic

from aiohttp import ClientSession
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.progress import PipelineMeter
from connectors.metrics.scraping import Latency, measured_latency, scraped_metrics
from connectors.page.operate.pipeline_view import (
    FINDINGS_FRESH_S,
    PROGRESS_FRESH_S,
    PipelinePorts,
    PipelineStep,
    ShownFinding,
)
from connectors.single_flight import SharedAnswer
from streams.app import AGENTS
from streams.effects.agents import consumer_groups
from streams.settings import Settings

CheckDeployment = Callable[[], Awaitable[Sequence[ShownFinding]]]
"""Returns the findings of ``vokter doctor``."""


def pipeline_ports(
    settings: Settings,
    admin: AIOKafkaAdminClient,
    consumer: AIOKafkaConsumer,
    http: ClientSession,
    check: CheckDeployment,
) -> PipelinePorts:
    """Return the calls to the broker, the workers on this machine, and the checks."""
    prefix = settings.topic_prefix
    groups = consumer_groups(prefix, AGENTS)
    meter = PipelineMeter(admin, consumer, groups, settings.partitions, prefix, monotonic)

    async def latency() -> Latency | None:
        return measured_latency(await scraped_metrics(settings.metrics_folder, http))

    return PipelinePorts(
        pipeline_agents(),
        SharedAnswer(meter.measure, PROGRESS_FRESH_S, monotonic),
        SharedAnswer(latency, PROGRESS_FRESH_S, monotonic),
        SharedAnswer(check, FINDINGS_FRESH_S, monotonic),
    )


def pipeline_agents() -> list[PipelineStep]:
    """Return the agents as the page shows them; those aside lead back to the others."""
    steps = []
    for agent in AGENTS.values():
        leads_to = "" if agent.aside or not agent.writes else agent.writes[0].name
        steps.append(PipelineStep(agent.name, agent.does, leads_to, agent.aside))
    return steps
