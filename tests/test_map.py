"""streams/app.py, the map, held to what the stages do."""

import re

import pytest

from streams.app import API, STAGES, topic_specs
from streams.effects.workers import stage_workers
from streams.settings import Settings
from streams.values import topics
from tests.docs.reading import agent_files


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_sends_to_the_topics_that_the_map_says(stage: str) -> None:
    files = agent_files(stage)
    sent = {
        name for file in files for name in re.findall(r"Send\(([A-Z_]+)\.name", file.read_text())
    }

    assert {getattr(topics, name) for name in sent} == set(STAGES[stage].writes)


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_reads_and_keeps_what_the_map_says(stage: str) -> None:
    worker = stage_workers(Settings.model_construct())[stage]

    assert worker.reads == STAGES[stage].reads
    assert tuple(table.name for table in worker.tables) == STAGES[stage].tables


def test_what_cannot_be_read_on_a_topic_is_reported_by_one_stage() -> None:
    workers = stage_workers(Settings.model_construct())
    reported = [
        topic
        for name, stage in STAGES.items()
        for topic in stage.reads
        if topic not in workers[name].reported_elsewhere
    ]

    assert sorted(topic.name for topic in set(reported)) == sorted(each.name for each in reported)
    assert set(reported) == {topic for stage in STAGES.values() for topic in stage.reads}
    assert set(workers["record"].reported_elsewhere) == set(STAGES["record"].reads) - {
        topics.DELIVERIES
    }


def test_every_topic_that_is_read_is_also_written_and_created() -> None:
    processes = (API, *STAGES.values())
    read = {topic for process in processes for topic in process.reads}
    written = {topic for process in processes for topic in process.writes}
    created = {spec.name for spec in topic_specs(Settings(topic_prefix=""))}

    assert read <= written
    assert {topic.name for topic in written} <= created
