"""A request on a wrong partition that a crash forwards twice, with all agents."""

import pytest

from schemas.records.requests import Pause
from schemas.records.subscription_facts import Cancelled, Subscribed
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from tests.model.deployment import CLIENTS, URLS, Deployment, place

URL, CLIENT = URLS[1], CLIENTS[0]


async def paused_and_cancelled() -> Deployment:
    """A pause on the wrong partition is decided before the subscription ends."""
    all_agents = Deployment()
    await all_agents.start()
    all_agents.subscribe(URL, CLIENT, None, keywords=("*",), interval=1)
    all_agents.adjust(Pause, URL, CLIENT, 1 - place(URL))
    for _ in range(3):
        await all_agents.work("match", 0, 100)
    all_agents.cancel(URL, CLIENT, None)
    return all_agents


def copies(all_agents: Deployment) -> int:
    """Count the pauses that reached the partition of the document."""
    messages = all_agents.cluster.topics[SUBSCRIPTION_REQUESTS.name, place(URL)]
    events = [
        all_agents.cluster.event(SUBSCRIPTION_REQUESTS.name, place(URL), number)
        for number in range(len(messages))
    ]
    return sum(isinstance(event.fact, Pause) for event in events)


@pytest.mark.parametrize(("back", "forwarded"), [(0, 1), (1, 2)])
async def test_a_request_that_a_crash_forwards_twice_is_answered_once(
    back: int, forwarded: int
) -> None:
    all_agents = await paused_and_cancelled()
    await all_agents.crash("match", back)
    await all_agents.settle()
    assert copies(all_agents) == forwarded
    answers = [type(fact) for _, fact in all_agents.cluster.facts(SUBSCRIPTIONS.name)]
    assert answers == [Subscribed, Subscribed, Cancelled]


async def test_a_pause_that_its_client_repeats_after_the_end_is_refused() -> None:
    all_agents = await paused_and_cancelled()
    all_agents.repeat(1)
    await all_agents.settle()
    answers = [fact for _, fact in all_agents.cluster.facts(SUBSCRIPTIONS.name)]
    assert [getattr(answer, "code", 0) for answer in answers] == [0, 0, 0, 7]
