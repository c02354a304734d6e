"""What the page's picture of the pipeline is drawn from."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic

from aiohttp import ClientSession
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.progress import PipelineMeter
from connectors.metrics.scraping import scraped_latency
from connectors.page.operate.pipeline_view import (
    FINDINGS_FRESH_S,
    PROGRESS_FRESH_S,
    PipelinePorts,
    ShownFinding,
)
from connectors.single_flight import SharedAnswer
from streams.app import STAGES
from streams.effects.groups import consumer_groups
from streams.settings import Settings

CheckDeployment = Callable[[], Awaitable[Sequence[ShownFinding]]]
"""Returns what ``vokter doctor`` says."""


def pipeline_ports(
    settings: Settings,
    admin: AIOKafkaAdminClient,
    consumer: AIOKafkaConsumer,
    http: ClientSession,
    check: CheckDeployment,
) -> PipelinePorts:
    """Return what asks the broker, the workers on this machine, and the checks."""
    prefix = settings.topic_prefix
    groups = consumer_groups(prefix, STAGES)
    meter = PipelineMeter(admin, consumer, groups, settings.partitions, prefix, monotonic)
    latency = partial(scraped_latency, settings.metrics_folder, http)
    return PipelinePorts(
        SharedAnswer(meter.measure, PROGRESS_FRESH_S, monotonic),
        SharedAnswer(latency, PROGRESS_FRESH_S, monotonic),
        SharedAnswer(check, FINDINGS_FRESH_S, monotonic),
    )
