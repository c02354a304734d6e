"""No notification waits for other messages to be sent with."""

from schemas.records.topics import CHANGES, NOTIFICATIONS, PERCOLATIONS
from streams.app import AGENTS, HISTORY


def test_an_agent_between_a_page_and_its_receivers_sends_at_once() -> None:
    on_the_way = {CHANGES, PERCOLATIONS, NOTIFICATIONS}
    at_once = {name for name, agent in AGENTS.items() if on_the_way.intersection(agent.writes)}
    # What history notifies of is old.
    assert {name for name, each in AGENTS.items() if not each.linger_ms} == at_once - {HISTORY.name}
