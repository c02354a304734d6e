"""What a failed request may be due to, by the errors that real requests end with."""

import socket
from errno import ENETUNREACH
from typing import Any

import pytest
from aiohttp import web

from connectors.http import fetcher
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed, OutOfRoom, failure_kind
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from schemas.records.answers import FailureKind, PageQuery
from schemas.records.egress_policy import EgressPolicy
from tests.harness.web import served

pytestmark = pytest.mark.usefixtures("each_client")

POLICY = EgressPolicy(["127.0.0.0/8"])


async def kind_of(
    url: str, *, robots: bool = False, proxy: str | None = None, limits: Limits | None = None
) -> FailureKind:
    politeness = Politeness(obeys_robots=robots)
    async with Fetcher(EgressGuard(POLICY, proxy), politeness, limits or Limits()) as fetcher:
        with pytest.raises((FetchFailed, OutOfRoom)) as raised:
            await fetcher.get(PageQuery(url))
    return failure_kind(raised.value)


def failing(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Let every look-up of a name fail."""

    def look_up(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(code, "no answer")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.mark.parametrize("robots", [False, True])
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (socket.EAI_AGAIN, "no_lookup"),
        (socket.EAI_FAIL, "no_lookup"),
        (socket.EAI_NONAME, "no_answer"),
    ],
)
async def test_a_name_server_that_gives_no_answer_is_told_from_a_name_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch, code: int, kind: str, robots: bool
) -> None:
    failing(monkeypatch, code)
    assert await kind_of("http://name.test/", robots=robots) == kind


async def test_a_route_that_there_is_not_is_told_from_a_host_that_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        assert await kind_of(url) == "no_answer"
        assert await kind_of("http://page.test/", proxy=url) == "ours"

        def no_route(self: EgressGuard, info: Any) -> socket.socket:
            raise OSError(ENETUNREACH, "Network is unreachable")

        monkeypatch.setattr(EgressGuard, "open_socket", no_route)
        assert await kind_of(url) == "no_route"


async def test_what_is_refused_too_large_or_not_allowed_is_due_to_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 50_000)

    async with served(page) as (url,):
        assert await kind_of("http://10.0.0.1/") == "page"
        assert await kind_of(url, limits=Limits(wire=2_000, body=1_000)) == "page"
        monkeypatch.setattr(fetcher, "DOWNLOAD_BUDGET", 1)
        monkeypatch.setattr(fetcher, "SMALL", 1)
        assert await kind_of(url) == "ours"
