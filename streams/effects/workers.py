"""The stages as workers: each stage of the map with what the engine needs to run it.

What a stage is built of is imported for that stage alone: all of it takes 4 to 12 MB.
"""

from collections.abc import Callable
from functools import partial

from connectors.registry.codec import Codec
from streams.app import (
    CRAWL,
    DELIVER,
    FETCH,
    HISTORY,
    MATCH,
    PERCOLATE,
    RECORD,
    RENDER,
    SCHEDULE,
    Process,
    reported_elsewhere,
    row_ttl,
)
from streams.effects.connections import kafka_access
from streams.engine.acks.capacity import MAX_BYTES
from streams.engine.worker import Cluster, TableSpec, Worker
from streams.settings import Settings
from streams.values.topics import SUBSCRIPTION_REQUESTS, partition_of

MAX_IN_PROGRESS = 25
"""POSTs that have just begun, or are answered and not stored: a kill repeats no more, apart from
those to slow receivers. Of slow ones alone, 833 a second are begun."""

RECORD_POLL_PAUSE_S = 0.5
"""Each poll for messages is a request to the broker, and a transaction with a sync of the disk."""


def stage_worker(settings: Settings, stage: str) -> Worker:
    """Return what the engine runs for a stage, by the stage's name."""
    return _WORKERS[stage](settings)


def stage_workers(settings: Settings) -> dict[str, Worker]:
    """Return what the engine runs for each stage, by the stage's name."""
    return {stage: worker(settings) for stage, worker in _WORKERS.items()}


def worker_cluster(settings: Settings, codec: Codec) -> Cluster:
    """Return where a process of workers runs."""
    return Cluster(
        access=kafka_access(settings),
        prefix=settings.topic_prefix,
        partitions=settings.partitions,
        metrics=settings.metrics,
        noted=settings.metrics_folder,
        codec=codec,
    )


def _tables(stage: Process, settings: Settings) -> tuple[TableSpec, ...]:
    return tuple(TableSpec(name, row_ttl(name, settings)) for name in stage.tables)


def _schedule(settings: Settings) -> Worker:
    from streams.agents.ticker.agent import ScheduleStage

    return Worker(
        SCHEDULE.name,
        reads=SCHEDULE.reads,
        ordered=lambda tools: ScheduleStage(partial(partition_of, count=tools.partitions)),
        tables=_tables(SCHEDULE, settings),
        timer=ScheduleStage.tick,
        sizes=ScheduleStage.sizes,
    )


def _fetch(settings: Settings) -> Worker:
    from streams.agents.fetch.agent import FetchStage
    from streams.effects.fetch import build_fetch

    return Worker(
        FETCH.name,
        reads=FETCH.reads,
        linger_ms=0,
        pool=partial(build_fetch, settings),
        # A page that has not arrived by then is fetched again, for the same slot.
        drain_s=3.0,
        sizes=FetchStage.sizes,
    )


def _render(settings: Settings) -> Worker:
    from streams.agents.fetch.agent import FetchStage
    from streams.effects.render import build_render

    return Worker(
        RENDER.name,
        reads=RENDER.reads,
        linger_ms=0,
        pool=partial(build_render, settings),
        drain_s=3.0,  # as fetch
        sizes=FetchStage.sizes,
    )


def _match(settings: Settings) -> Worker:
    from streams.effects.match import build_match

    return Worker(
        MATCH.name,
        reads=MATCH.reads,
        linger_ms=0,
        ordered=partial(build_match, settings),
        tables=_tables(MATCH, settings),
        # A client that had its answer before a crash must get the changes after it.
        first=SUBSCRIPTION_REQUESTS,
        timer=lambda match, partition, now: match.tick(partition, now),
        sizes=lambda match: match.sizes(),
    )


def _percolate(settings: Settings) -> Worker:
    from streams.effects.match import build_percolate

    return Worker(
        PERCOLATE.name,
        reads=PERCOLATE.reads,
        linger_ms=0,
        ordered=partial(build_percolate, settings),
        tables=_tables(PERCOLATE, settings),
        sizes=lambda percolate: percolate.sizes(),
    )


def _deliver(settings: Settings) -> Worker:
    from connectors.channels.processes import SEND_TIMEOUT_S
    from connectors.webhook import TOTAL_TIMEOUT_S
    from streams.agents.deliver.agent import TURN_TIMEOUT_S, DeliverStage
    from streams.agents.deliver.outbox.in_hand import CHANNELS, WEBHOOKS
    from streams.effects.deliver import build_deliver

    return Worker(
        DELIVER.name,
        reads=DELIVER.reads,
        pool=partial(build_deliver, settings),
        tables=_tables(DELIVER, settings),
        timer=DeliverStage.due,
        # Besides what it may have in hand for each kind of receiver, what has not begun.
        max_in_flight=WEBHOOKS.max_notifications + CHANNELS.max_notifications + 800,
        max_in_flight_bytes=WEBHOOKS.max_bytes + CHANNELS.max_bytes + MAX_BYTES,
        max_in_progress=MAX_IN_PROGRESS,
        # The first POSTs of a change leave before its last notification is read.
        messages_per_yield=3,
        # What has no stored result is sent again, so let what is in flight finish,
        # and what begins because another one has ended.
        drain_s=max(TOTAL_TIMEOUT_S, SEND_TIMEOUT_S) + TURN_TIMEOUT_S + 1.0,
        sizes=DeliverStage.sizes,
    )


def _history(settings: Settings) -> Worker:
    from streams.effects.history import build_history

    return Worker(HISTORY.name, reads=HISTORY.reads, pool=partial(build_history, settings))


def _record(settings: Settings) -> Worker:
    from streams.effects.record import build_record

    return Worker(
        RECORD.name,
        reads=RECORD.reads,
        reported_elsewhere=reported_elsewhere(RECORD),
        batched=partial(build_record, settings),
        # No other stage waits for it, and one large batch costs little more than one event.
        poll_pause_s=RECORD_POLL_PAUSE_S,
    )


def _crawl(settings: Settings) -> Worker:
    from streams.agents.crawl.agent import CrawlStage

    return Worker(
        CRAWL.name,
        reads=CRAWL.reads,
        ordered=lambda _: CrawlStage(),
        tables=_tables(CRAWL, settings),
        sizes=CrawlStage.sizes,
    )


_WORKERS: dict[str, Callable[[Settings], Worker]] = {
    SCHEDULE.name: _schedule,
    FETCH.name: _fetch,
    RENDER.name: _render,
    MATCH.name: _match,
    PERCOLATE.name: _percolate,
    DELIVER.name: _deliver,
    HISTORY.name: _history,
    RECORD.name: _record,
    CRAWL.name: _crawl,
}
