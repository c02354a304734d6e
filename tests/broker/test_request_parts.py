"""One fetch for each request part of a document and due time, however many views read it."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from infra.broker import LocalBroker
from schemas.records.fetches import FetchDue
from schemas.records.notifications import Notification
from schemas.records.topics import FETCHES, NOTIFICATIONS
from tests.harness.facts import reading
from tests.harness.hooks import Hooks
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.harness.waiting import until
from tests.harness.web import served

READINGS = 20
SUBSCRIPTIONS = 1_000
AT_ONCE = 50
LANGUAGES = {"de": "Riese", "fr": "géant"}


class Site:
    """A page in two languages, with a paragraph for each reading part."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.word = "sleeps"

    async def page(self, request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        language = request.headers["Accept-Language"]
        self.asked.append(language)
        lines = (f"<p id=p{n}>{LANGUAGES[language]} {n} {self.word}" for n in range(READINGS))
        return web.Response(text="".join(lines), content_type="text/html")


@asynccontextmanager
async def deployed(
    broker: LocalBroker, folders: pytest.TempPathFactory
) -> AsyncIterator[tuple[Deployment, Rest]]:
    with Deployment(broker.bootstrap, folders.mktemp("requests")) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            yield deployment, rest


def watching(url: str, number: int) -> dict[str, Any]:
    """The request for one of the subscriptions: each reading part in each language."""
    view = {
        "select": [{"css": f"#p{number % READINGS}"}],
        "language": list(LANGUAGES)[number // READINGS % len(LANGUAGES)],
    }
    session = f"reader-{number}"
    return {"documentUrl": url, "session": session, "keywords": ["*"], "interval": 1, "view": view}


@pytest.mark.slow
async def test_a_thousand_subscriptions_with_two_request_parts_cost_two_fetches_per_due_time(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site = Site()
    async with (
        served(site.page) as (base,),
        deployed(broker, tmp_path_factory) as (deployment, rest),
    ):
        url = f"{base}/"
        for first in range(0, SUBSCRIPTIONS, AT_ONCE):
            several = range(first, first + AT_ONCE)
            calls = (rest.call("/subscribe", watching(url, number)) for number in several)
            answers = await asyncio.gather(*calls)
            assert [answer.status for answer in answers] == [200] * len(several)
        async with (
            reading(deployment.settings, FETCHES) as fetches,
            reading(deployment.settings, NOTIFICATIONS) as notifications,
        ):

            def slots() -> list[int]:
                return [due.slot for fact in fetches.of(FetchDue) for due in fact.due]

            await until(lambda: len(slots()) >= 2, "what subscribing commanded is over")
            before, begun = len(slots()), len(site.asked)
            await until(lambda: len(slots()) >= before + 10, "ten due times have come")
            asked, passed = site.asked[begun:], len(slots()) - before
            counts = Counter(asked)
            assert set(counts) == set(LANGUAGES)
            # The fetches of the due times at both ends may be outside of what was counted.
            assert all(passed - 2 <= count <= passed + 2 for count in counts.values())
            site.word = "wakes"
            sent = notifications.of
            await until(
                lambda: len({each.subscription for each in sent(Notification)}) == SUBSCRIPTIONS,
                "each subscription is notified of its part in its language",
            )
            snippets = [each.diffs[0].snippet for each in sent(Notification)]
            texts = Counter(snippet.split()[0] for snippet in snippets)
            assert texts == dict.fromkeys(LANGUAGES.values(), SUBSCRIPTIONS // 2)


@pytest.mark.slow  # tests/agents/fetch/test_request_parts.py has the same
async def test_a_search_by_post_is_watched_and_a_wrong_view_is_refused(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory, hooks: Hooks
) -> None:
    queries: list[tuple[str, Any]] = []
    found = ["zeus"]

    async def search(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        queries.append((request.headers["X-Api-Version"], await request.json()))
        return web.json_response({"found": found})

    hook = hooks.add()
    view = {"method": "POST", "headers": {"X-Api-Version": "2"}, "body": '{"query": "gods"}'}
    async with served(search) as (base,), deployed(broker, tmp_path_factory) as (_, rest):
        await rest.subscribe(f"{base}/search", hook.url, "argus", view=view)
        await until(lambda: len(queries) >= 2, "the first answer is stored")
        found.append("argus")
        (body,) = await hook.notified()
        assert [(diff["event"], diff["keyword"]) for diff in body["diffs"]] == [("added", "argus")]
        assert set(map(json.dumps, queries)) == {json.dumps(("2", {"query": "gods"}))}
        (listed,) = await rest.listed(hook.url)
        assert listed["view"] == view
        wrong = {"documentUrl": base, "clientUrl": hook.url, "keywords": ["a"]}
        refused = await rest.call("/subscribe", wrong | {"view": {"headers": {"Cookie": "a=b"}}})
        assert refused.body["code"] == "6"
        assert "view.headers.Cookie: use credentials" in json.dumps(refused.body)
