"""No notification waits for other messages to be sent with."""

from streams.app import HISTORY, STAGES
from streams.effects.workers import stage_workers
from streams.settings import Settings
from streams.values.topics import CHANGES, NOTIFICATIONS, PERCOLATIONS


def test_a_stage_between_a_page_and_its_receivers_sends_at_once() -> None:
    workers = stage_workers(Settings())
    on_the_way = {CHANGES, PERCOLATIONS, NOTIFICATIONS}
    at_once = {name for name, stage in STAGES.items() if on_the_way.intersection(stage.writes)}
    # What history notifies of is old.
    assert {name for name, each in workers.items() if not each.linger_ms} == at_once - {
        HISTORY.name
    }
