"""A receiver gets what it would have been notified of, once, whatever dies meanwhile."""

from collections.abc import Iterator

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client


@pytest.fixture
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path_factory.mktemp("backfill")) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.mark.slow  # tests/agents/history/test_backfill.py has the same
async def test_history_is_delivered_once_after_kills_and_never_what_was_notified_live(
    deployment: Deployment, pages: Pages, hooks: Hooks
) -> None:
    page, first, second = pages.add("<p>still"), hooks.add(), hooks.add()
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        await rest.subscribe(page.url, first.url, "argus")
        await page.stored()
        page.upcoming = ["<p>Little argus sleeps", "<p>nothing", "<p>The argus wakes"]
        live = await first.notified(3)
        await rest.shows_in_history("notifications", 3, client=first.url)
        await rest.subscribe(page.url, second.url, "argus")

        await backfill(rest, page.url, second.url, limit=2)
        for _ in range(2):
            deployment["record"].kill()
            deployment.start("record")
        past = await second.notified(2)
        assert [body.pop("history") for body in past] == [True, True]
        assert [body.pop("subscription") for body in past] != [live[0]["subscription"]] * 2
        assert past == [without(body, "subscription") for body in live[1:]]

        await rest.shows_in_history("notifications", 2, client=second.url)
        await rest.shows_in_history("deliveries", 2, client=second.url)
        await backfill(rest, page.url, second.url)
        await backfill(rest, page.url, first.url)
        await second.notified(3)
        page.text = "<p>Another argus"
        both = [*await first.notified(4), *await second.notified(4)]
        assert [body.get("history") for body in both] == [None] * 4 + [True] * 3 + [None]
        assert without(both[6], "history", "subscription") == without(live[0], "subscription")
        assert len({post.id for post in second.posts}) == 4
        await rest.tidy()


async def backfill(rest: Rest, page: str, hook: str, **more: int) -> None:
    answer = await rest.call("/backfill", {"documentUrl": page, "clientUrl": hook, **more})
    assert (answer.status, answer.body["code"]) == (200, "0"), answer.body


def without(body: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in body.items() if name not in names}
