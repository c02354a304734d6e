"""Real servers behind a login, and others that listen for credentials that are not theirs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import encode_basic_auth, web
from aiohttp.test_utils import TestServer

from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.vault import Vault
from connectors.http.egress import EgressGuard
from connectors.http.fetcher import Fetcher, Politeness
from connectors.stores.opening import open_store
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy
from streams.effects.clock import now

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEY = b"k" * 32


class Site:
    """A server that notes what it is sent; ``path`` of a redirect is where ``target`` is."""

    def __init__(self) -> None:
        self.url = ""
        self.heard: list[tuple[str, dict[str, str]]] = []
        self.target = ""
        self.answer: Answer = self._page

    async def handle(self, request: web.Request) -> web.StreamResponse:
        wanted = ("Authorization", "Cookie", "X-Key")
        shown = {name: value for name, value in request.headers.items() if name in wanted}
        self.heard.append((request.path, shown))
        if request.path == "/away":
            return web.Response(status=302, headers={"Location": self.target})
        return await self.answer(request)

    async def _page(self, request: web.Request) -> web.Response:
        return web.Response(text="A page")


@asynccontextmanager
async def sites(count: int) -> AsyncIterator[list[Site]]:
    """Serve on as many ports of this machine."""
    async with AsyncExitStack() as stack:
        found = [Site() for _ in range(count)]
        for site in found:
            app = web.Application()
            app.router.add_get("/{path:.*}", site.handle)
            server = await stack.enter_async_context(TestServer(app))
            site.url = str(server.make_url("/")).rstrip("/")
        yield found


class Worker:
    """What a fetch worker uses, on a store of its own or one that others use, too."""

    def __init__(self, fetcher: Fetcher, vault: Vault) -> None:
        self.fetcher = fetcher
        self.vault = vault

    async def get(self, url: str, name: str = "news") -> Response:
        login = await self.vault.login("desk", name, url)
        found = await self.fetcher.get(PageQuery(url), login=login)
        await self.vault.keep(login)
        return found


@asynccontextmanager
async def worker(folder: Path, **policy: Any) -> AsyncIterator[Worker]:
    store = await open_store(f"sqlite:{folder / 'store.db'}")
    guard = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
    async with Fetcher(guard, Politeness(**policy)) as fetcher:
        yield Worker(fetcher, Vault(store.credentials, lambda: KEY, now, lambda: now() / 1000))
    await store.close()


def netscape(domain: str, value: str = "first") -> dict[str, str]:
    return {"cookies": f"{domain}\tFALSE\t/\tFALSE\t0\tsession\t{value}"}


async def test_basic_authentication_is_sent_to_its_site(tmp_path: Path) -> None:
    async with sites(1) as (site,), worker(tmp_path) as fetching:

        async def guarded(request: web.Request) -> web.Response:
            known = request.headers.get("Authorization") == encode_basic_auth("me", "hush")
            return web.Response(status=200 if known else 401, text="Secret page")

        site.answer = guarded
        body = {"for": site.url, "basic": {"user": "me", "password": "hush"}}
        await fetching.vault.put("desk", "news", parse_credentials(body))
        found = await fetching.get(f"{site.url}/page")
        assert (found.status, found.body) == (200, b"Secret page")
        assert (await fetching.fetcher.get(PageQuery(f"{site.url}/page"))).status == 401
        robots = [heard for path, heard in site.heard if path == "/robots.txt"]
        assert robots == [{}], "robots.txt is for everybody"


async def test_a_session_that_each_answer_renews_lives_on_over_a_restart(tmp_path: Path) -> None:
    async with sites(1) as (site,):
        valid = ["first"]

        async def renewing(request: web.Request) -> web.Response:
            if request.cookies.get("session") != valid[-1]:
                return web.Response(status=401)
            valid.append(f"number-{len(valid)}")
            answer = web.Response(text="Secret page")
            answer.set_cookie("session", valid[-1], path="/", max_age=60)
            return answer

        site.answer = renewing
        for _ in range(2):
            async with worker(tmp_path, obeys_robots=False) as fetching:
                if len(valid) == 1:
                    given = parse_credentials(netscape("127.0.0.1"))
                    await fetching.vault.put("desk", "news", given)
                for _ in range(10):
                    assert (await fetching.get(f"{site.url}/page")).status == 200
        assert len(valid) == 21


async def test_a_redirect_to_another_origin_takes_no_credentials_with_it(tmp_path: Path) -> None:
    async with sites(2) as (site, canary), worker(tmp_path, obeys_robots=False) as fetching:
        site.target = f"{canary.url}/caught"
        bodies: dict[str, dict[str, Any]] = {
            "header": {"for": site.url, "header": "X-Key: hush"},
            "basic": {"for": site.url, "basic": {"user": "me", "password": "hush"}},
            "cookies": netscape("127.0.0.1", "hush"),
        }
        for name, body in bodies.items():
            await fetching.vault.put("desk", name, parse_credentials(body))
            assert (await fetching.get(f"{site.url}/away", name)).status == 200
        assert [bool(heard) for _, heard in site.heard] == [True] * 3
        assert canary.heard == [("/caught", {})] * 3


async def test_a_page_elsewhere_that_redirects_to_the_site_takes_its_credentials(
    tmp_path: Path,
) -> None:
    async with sites(2) as (site, other), worker(tmp_path, obeys_robots=False) as fetching:
        other.target = f"{site.url}/page"
        body = {"for": site.url, "header": "X-Key: hush"}
        await fetching.vault.put("desk", "news", parse_credentials(body))
        await fetching.get(f"{other.url}/away")
        assert other.heard == [("/away", {})]
        assert site.heard == [("/page", {"X-Key": "hush"})]


async def test_a_header_is_for_one_port(tmp_path: Path) -> None:
    async with sites(2) as (site, canary), worker(tmp_path, obeys_robots=False) as fetching:
        body = {"for": site.url, "header": "X-Key: hush"}
        await fetching.vault.put("desk", "news", parse_credentials(body))
        await fetching.get(f"{canary.url}/page")
        assert canary.heard == [("/page", {})]


async def test_a_canary_sets_no_cookie_of_the_site(tmp_path: Path) -> None:
    async with sites(2) as (site, canary), worker(tmp_path, obeys_robots=False) as fetching:

        async def setting(_: web.Request) -> web.Response:
            answer = web.Response(text="A page")
            answer.set_cookie("session", "fixed", path="/")
            return answer

        site.target, canary.answer = f"{canary.url}/caught", setting
        await fetching.vault.put("desk", "news", parse_credentials(netscape("127.0.0.1")))
        await fetching.get(f"{site.url}/away")
        await fetching.get(f"{site.url}/page")
        assert [heard["Cookie"] for _, heard in site.heard] == ["session=first"] * 2
        assert canary.heard == [("/caught", {})]


async def test_a_cookie_that_is_set_before_a_redirect_is_sent_after_it(tmp_path: Path) -> None:
    async with sites(1) as (site,), worker(tmp_path, obeys_robots=False) as fetching:

        async def login(request: web.Request) -> web.Response:
            if request.path == "/page" and "fresh" not in request.cookies:
                answer = web.Response(status=303, headers={"Location": "/page"})
                answer.set_cookie("fresh", "1")
                return answer
            return web.Response(text="Secret page")

        site.answer = login
        await fetching.vault.put("desk", "news", parse_credentials(netscape("127.0.0.1")))
        assert (await fetching.get(f"{site.url}/page")).status == 200
        assert site.heard[-1][1] == {"Cookie": "session=first; fresh=1"}
