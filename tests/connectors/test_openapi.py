"""The REST API against its own description, with calls that nobody would write by hand.

``VOKTER_FUZZ`` is the number of calls of each operation; ``make fuzz`` makes 10,000 in all.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import schemathesis
from aiohttp import web
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from connectors.api.access import guarding
from connectors.api.description import Description
from connectors.api.health import Deployment
from connectors.api.jobs import Jobs
from connectors.api.keys import Keys
from connectors.api.listing import Listing
from connectors.api.server import BASE, OPEN, Handlers, routes, serve
from connectors.stores import open_store
from connectors.stores.base import Store
from infra.ports import any_free
from schemas.facts import ClientRequest
from schemas.reach import Reach
from streams.core.due import next_slot
from streams.core.requests import Rules
from streams.match import Match
from tests.fakes.events import event

ROOT = Path(__file__).parents[2]
DESCRIPTION = ROOT / "docs" / "openapi.yaml"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
CALLS = int(os.environ.get("VOKTER_FUZZ", "60"))
"""Calls of each operation."""
schema = schemathesis.openapi.from_path(DESCRIPTION)


class Deciding:
    """The register itself, without a broker between; what it decides is listed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._match = Match(lambda _: 0, Rules(60, Reach().url_refusal))
        self._match.begin(0)

    async def ask(self, request: ClientRequest) -> Any:
        facts: list[Any] = [send.record for send in self._match.decide(event(request)).sends]
        await self._store.record(facts)
        return facts[0]


class Well:
    """A deployment whose health is not what is tested here."""

    deployment = Deployment("127.0.0.1:9092", 1, {})

    async def health(self, _: web.Request) -> web.Response:
        body = {"status": "ok", "kafka": "", "store": "", "stages": {}, "problems": []}
        return web.json_response(body)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API on a real port; the caller's thread is free to wait for its answers."""
    folder, port = tmp_path_factory.mktemp("api"), any_free()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(30)

    stack = AsyncExitStack()
    done(_open(stack, folder, port))
    yield f"http://127.0.0.1:{port}{BASE}"
    done(stack.aclose())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _open(stack: AsyncExitStack, folder: Path, port: int) -> None:
    store = await open_store(f"sqlite:{folder / 'vokter.db'}")
    stack.push_async_callback(store.close)
    jobs: Any = Deciding(store)
    health: Any = Well()
    listing = Listing(store, next_slot, lambda: 1_700_000_000_000)
    asking = Jobs(jobs, store.count_active, b"k" * 32)
    handlers = Handlers(asking, listing, health, Description())
    guard = guarding(Keys(folder / "keys.json"), lambda: 0.0, *OPEN)
    await stack.enter_async_context(serve(handlers, [guard], "127.0.0.1", port))


@schema.parametrize()
@settings(
    max_examples=CALLS,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_answer_is_one_that_is_described(
    case: schemathesis.Case[Any], api: str
) -> None:
    case.call_and_validate(base_url=api, checks=CHECKS)


def test_every_route_is_described_and_nothing_else() -> None:
    described = {
        (method.upper(), BASE + path)
        for path, methods in schema.raw_schema["paths"].items()
        for method in methods
    }
    anything: Any = Mock()
    assert described == {(route.method, route.path) for route in routes(anything)}
