"""Both HTTP clients: tests that use ``each_client`` run with each of them, on uvloop."""

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

from connectors import webhook
from connectors.http import routes


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run tests on the loop of a deployment; other folders have asyncio's."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture(params=["own", "aiohttp"])
def each_client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make direct requests with Vokter's client, or as those through a proxy are made."""
    if request.param == "aiohttp":
        monkeypatch.setattr(routes, "direct_client", routes.proxied_client)
        monkeypatch.setattr(webhook, "direct_client", lambda *_: None)
    return str(request.param)
