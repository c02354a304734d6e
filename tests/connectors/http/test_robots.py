"""robots.txt, on real servers."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from protego import Protego

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher
from connectors.http.robots import MAX_VERDICTS, RETRY_AFTER_S, TTL_S, Robots
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy
from tests.harness.web import served

LOOPBACK = EgressGuard(EgressPolicy(["127.0.0.0/8"]))


@dataclass
class Site:
    """A web site with ``rules`` as its robots.txt; it records the requested paths."""

    rules: str = ""
    status: int = 200
    moved: str = ""
    base: str = ""
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        if request.path == "/away":
            raise web.HTTPFound("/private")
        if request.path != "/robots.txt":
            return web.Response(text="page")
        if self.moved:
            raise web.HTTPFound(self.moved)
        return web.Response(text=self.rules, status=self.status)


@asynccontextmanager
async def visiting(site: Site) -> AsyncIterator[Fetcher]:
    async with served(site.answer) as urls, Fetcher(LOOPBACK) as fetcher:
        site.base = urls[0]
        yield fetcher


async def allowed(fetcher: Fetcher, url: str) -> bool:
    try:
        await fetcher.get(PageQuery(url))
    except FetchFailed as error:
        if "robots.txt" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize(("rules", "path", "expected"), [
    ("", "/private", True),
    ("User-agent: *\nDisallow: /private", "/private", False),
    ("User-agent: *\nDisallow: /private", "/public", True),
    ("user-AGENT : *  # all\nDISALLOW:/private#x", "/private/x?y", False),
    ("User-agent: *\nDisallow: /\n\nUser-agent: Vokter\nDisallow:", "/private", True),
    ("User-agent: Vokter\nDisallow: /private\n\nUser-agent: *\nAllow: /", "/private", False),
    ("User-agent: other\nUser-agent: vokter\nDisallow: /private", "/private", False),
    ("User-agent: other\nDisallow: /", "/private", True),
    ("User-agent: vokterbot\nDisallow: /", "/private", True),
    ("User-agent: *\nDisallow: /p\nAllow: /private", "/private", True),
    ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
    ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf2", True),
    ("\ufeffUser-agent: *\r\nDisallow: /private\r\n", "/private", False),
    ("Disallow: /", "/private", True),
    ("<html>not found</html>", "/private", True),
])  # fmt: skip
async def test_the_most_specific_rule_of_our_group_decides(
    rules: str, path: str, expected: bool
) -> None:
    site = Site(rules)
    async with visiting(site) as fetcher:
        assert await allowed(fetcher, site.base + path) == expected
    assert (path.partition("?")[0] in site.asked) == expected


@pytest.mark.parametrize(("status", "expected"), [
    (404, True), (403, True), (429, True), (500, False), (503, False),
])  # fmt: skip
async def test_a_site_without_robots_txt_allows_everything_and_a_failing_one_nothing(
    status: int, expected: bool
) -> None:
    site = Site("User-agent: *\nDisallow: /", status)
    async with visiting(site) as fetcher:
        assert await allowed(fetcher, f"{site.base}/private") == expected


async def test_a_site_that_does_not_answer_allows_nothing() -> None:
    site = Site(moved="http://127.0.0.1:1024/")
    async with visiting(site) as fetcher:
        assert not await allowed(fetcher, f"{site.base}/private")


async def test_a_redirect_of_robots_txt_is_followed() -> None:
    site = Site(moved="/elsewhere")
    async with visiting(site) as fetcher:
        assert await allowed(fetcher, f"{site.base}/private")
    assert site.asked == ["/robots.txt", "/elsewhere", "/private"]


async def test_robots_txt_is_checked_for_the_target_of_a_redirect_too() -> None:
    site = Site("User-agent: *\nDisallow: /private")
    async with visiting(site) as fetcher:
        assert not await allowed(fetcher, f"{site.base}/away")
    assert "/private" not in site.asked


async def test_robots_txt_is_fetched_once_for_many_pages() -> None:
    site = Site("User-agent: *\nDisallow: /private")
    async with visiting(site) as fetcher:
        for number in range(5):
            await fetcher.get(PageQuery(f"{site.base}/{number}"))
    assert site.asked.count("/robots.txt") == 1


@pytest.mark.parametrize(("rules", "delay"), [
    ("", 0), ("User-agent: *\nCrawl-delay: 2.5", 2.5), ("User-agent: *\nCrawl-delay: 3600", 30),
    ("User-agent: *\nCrawl-delay: soon", 0), ("User-agent: *\nCrawl-delay: -1", 0),
    ("User-agent: *\nCrawl-delay: nan", 0), ("User-agent: *\nCrawl-delay: inf", 0),
    ("User-agent: vokter\nCrawl-delay: 1\n\nUser-agent: *\nCrawl-delay: 9", 1),
])  # fmt: skip
async def test_a_crawl_delay_is_obeyed_up_to_thirty_seconds(rules: str, delay: float) -> None:
    site = Site(rules)
    async with visiting(site) as fetcher:
        host = site.base.removeprefix("http://")
        assert fetcher.delay(host) == 0
        await fetcher.get(PageQuery(f"{site.base}/public"))
        assert fetcher.delay(host) == delay


class Files:
    """Successive responses for robots.txt, of which the last repeats, and a clock."""

    def __init__(self, *answers: Response | FetchFailed) -> None:
        self.answers = list(answers)
        self.asked = 0
        self.now = 0.0
        self.robots = Robots(self.get, lambda: self.now)

    async def get(self, url: str) -> Response:
        assert url.endswith("/robots.txt")
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, FetchFailed):
            raise answer
        return answer


DENYING = Response(200, b"User-agent: *\nDisallow: /")


async def test_a_robots_txt_is_cached_for_a_day() -> None:
    files = Files(Response(404), DENYING)
    assert await files.robots.refusal("http://a.test/x") is None
    files.now += TTL_S
    assert await files.robots.refusal("http://a.test/x") is None
    files.now += 1
    assert await files.robots.refusal("http://a.test/x")


async def test_a_robots_txt_that_could_not_be_fetched_is_fetched_again_soon() -> None:
    files = Files(FetchFailed("timed out"), Response(404))
    for _ in range(2):
        with pytest.raises(FetchFailed, match=r"robots\.txt: timed out"):
            await files.robots.refusal("http://a.test/x")
    assert files.asked == 1
    files.now += RETRY_AFTER_S + 1
    assert await files.robots.refusal("http://a.test/x") is None


async def test_every_site_has_its_own_robots_txt() -> None:
    files = Files(DENYING, Response(404))
    assert await files.robots.refusal("http://a.test/x")
    for url in ("https://a.test/x", "http://a.test:8080/x", "http://b.test/x"):
        assert await files.robots.refusal(url) is None


async def test_a_robots_txt_that_was_made_to_use_memory_uses_little() -> None:
    agents = "".join(f"User-agent: a{n}\n" for n in range(20_000))
    rules = "".join(f"Disallow: /{n}*a*a*a$\n" for n in range(10_000))
    files = Files(Response(200, (agents + "User-agent: *\n" + rules).encode()))
    assert await files.robots.refusal("http://a.test/" + "a" * 2000) is None
    (known,) = files.robots._cache.values()
    assert known.rules is not None
    assert len(known.rules._user_agents) == 2


@pytest.mark.slow  # four seconds of a core
async def test_the_cache_of_robots_txt_is_bounded() -> None:
    files = Files(Response(200, b"User-agent: *\n" + b"Disallow: /a\nDisallow: /b\n" * 10_000))
    for number in range(20):
        await files.robots.refusal(f"http://host{number}.test/")
    assert 1 <= len(files.robots._cache) < 10
    assert files.robots._size == sum(each.size for each in files.robots._cache.values())


async def test_many_rules_are_asked_once_for_each_page_and_not_on_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, bool]] = []
    can_fetch, parse = Protego.can_fetch, Protego.parse

    def note(what: str) -> None:
        asked.append((what, threading.current_thread() is threading.main_thread()))

    def noted(rules: Protego, url: str, agent: str) -> bool:
        note(url)
        return can_fetch(rules, url, agent)

    def noted_parse(text: str) -> Protego:
        note("parse")
        return parse(text)

    monkeypatch.setattr(Protego, "can_fetch", noted)
    monkeypatch.setattr(Protego, "parse", noted_parse)
    rules = "".join(f"Disallow: /{number}*a*a$\n" for number in range(1_000))
    files = Files(Response(200, b"User-agent: *\n" + rules.encode()))
    for _ in range(3):
        for page in ("http://a.test/x", "http://a.test/1aa"):
            await files.robots.refusal(page)
    assert asked == [("parse", False), ("http://a.test/x", False), ("http://a.test/1aa", False)]
    (known,) = files.robots._cache.values()
    for number in range(1_100):
        await files.robots.refusal(f"http://a.test/{number}b")
    assert known.verdicts is not None
    assert len(known.verdicts) == MAX_VERDICTS
