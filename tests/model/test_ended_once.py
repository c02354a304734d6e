"""A subscription that ends while requests about it wait, with all stages."""

import pytest

from schemas.records.notifications import Notification
from schemas.records.topics import CHANGES, NOTIFICATIONS
from tests.model.deployment import CLIENTS, MAX_FAILURES, URLS, Deployment

URL, CLIENT = URLS[0], CLIENTS[0]


async def unreachable() -> Deployment:
    """A document has failed as often as its subscription allows, and match has not read it."""
    all_stages = Deployment()
    await all_stages.start()
    all_stages.subscribe(URL, CLIENT, None, keywords=("*",), interval=1)
    await all_stages.settle()
    all_stages.web.documents[URL].fails = True
    while not all_stages.cluster.facts(CHANGES.name):
        all_stages.tick(1)
        for stage in ("ticker", "fetch"):
            await all_stages.work(stage, 0, 100)
    return all_stages


@pytest.mark.parametrize("boundaries", range(9))
async def test_a_subscription_that_was_notified_of_its_end_is_replaced_by_no_later_request(
    boundaries: int,
) -> None:
    all_stages = await unreachable()
    all_stages.tick(2)
    all_stages.subscribe(URL, CLIENT, None, keywords=("*",), interval=2, replace=True)
    all_stages.light("match", boundaries, 0)
    await all_stages.work("match", 1, 1)
    await all_stages.work("match", 0, 1)
    for _ in range(MAX_FAILURES):
        all_stages.tick(2)
        for stage in ("match", "ticker", "fetch"):
            await all_stages.work(stage, 0, 100)
    await all_stages.settle()


async def test_a_subscription_replaced_before_its_end_is_read_stays_if_its_page_is_back() -> None:
    all_stages = await unreachable()
    all_stages.tick(2)
    all_stages.subscribe(URL, CLIENT, None, keywords=("alpha",), interval=2, replace=True)
    all_stages.web.documents[URL].fails = False
    await all_stages.work("match", 0, 1)
    await all_stages.settle()
    all_stages.web.turn_over(URL)
    await all_stages.settle()
    sent = [fact for _, fact in all_stages.cluster.facts(NOTIFICATIONS.name)]
    assert [each.status for each in sent if isinstance(each, Notification)] == ["ok"]
