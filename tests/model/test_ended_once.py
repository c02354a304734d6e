"""A subscription that ends while requests about it wait, with all agents."""

import pytest

from schemas.records.notifications import Notification
from schemas.records.topics import CHANGES, NOTIFICATIONS
from tests.model.deployment import CLIENTS, MAX_FAILURES, URLS, Deployment

URL, CLIENT = URLS[0], CLIENTS[0]


async def unreachable() -> Deployment:
    """A document has failed as often as its subscription allows, and match has not read it."""
    all_agents = Deployment()
    await all_agents.start()
    all_agents.subscribe(URL, CLIENT, None, keywords=("*",), interval=1)
    await all_agents.settle()
    all_agents.web.documents[URL].fails = True
    while not all_agents.cluster.facts(CHANGES.name):
        all_agents.tick(1)
        for agent in ("ticker", "fetch"):
            await all_agents.work(agent, 0, 100)
    return all_agents


@pytest.mark.parametrize("boundaries", range(9))
async def test_a_subscription_that_was_notified_of_its_end_is_replaced_by_no_later_request(
    boundaries: int,
) -> None:
    all_agents = await unreachable()
    all_agents.tick(2)
    all_agents.subscribe(URL, CLIENT, None, keywords=("*",), interval=2, replace=True)
    all_agents.light("match", boundaries, 0)
    await all_agents.work("match", 1, 1)
    await all_agents.work("match", 0, 1)
    for _ in range(MAX_FAILURES):
        all_agents.tick(2)
        for agent in ("match", "ticker", "fetch"):
            await all_agents.work(agent, 0, 100)
    await all_agents.settle()


async def test_a_subscription_replaced_before_its_end_is_read_stays_if_its_page_is_back() -> None:
    all_agents = await unreachable()
    all_agents.tick(2)
    all_agents.subscribe(URL, CLIENT, None, keywords=("alpha",), interval=2, replace=True)
    all_agents.web.documents[URL].fails = False
    await all_agents.work("match", 0, 1)
    await all_agents.settle()
    all_agents.web.turn_over(URL)
    await all_agents.settle()
    sent = [fact for _, fact in all_agents.cluster.facts(NOTIFICATIONS.name)]
    assert [each.status for each in sent if isinstance(each, Notification)] == ["ok"]
