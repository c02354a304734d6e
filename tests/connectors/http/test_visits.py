"""A visit as a browser makes it: with cookies, and with redirects that stand in pages."""

from collections.abc import Mapping, Sequence

import pytest

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import MAX_REDIRECTS, Fetcher, Politeness
from connectors.http.redirects import target_url
from connectors.http.refresh import refresh_target
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from tests.harness.raw_site import RUDE, Asked, RawSite, response, visited

pytestmark = pytest.mark.usefixtures("each_client")

HTML = "Content-Type: text/html"


def moved(target: str, *fields: str) -> bytes:
    return response("", f"Location: {target}", *fields, status="302 Found")


def refreshing(content: str, *fields: str) -> bytes:
    page = f'<!doctype html><meta http-equiv="Refresh" content="{content}"><p>wait'
    return response(page, HTML, *fields)


def with_cookie(asked: Asked) -> bytes:
    """Answer as a site that checks whether its visitors keep cookies."""
    if 'seen="a-b"' in asked.get("cookie", "").split("; "):
        return response("Argus")
    odd = ("Set-Cookie: odd", "Set-Cookie: u=\xfc", "Set-Cookie: \xfc=u", "Set-Cookie:")
    return moved(asked["path"], 'Set-Cookie: seen="a-b"; Path=/; HttpOnly', *odd)


async def read(site: RawSite, path: str = "/") -> str:
    async with site.serving():
        return (await visited(site, path)).body.decode()


def paths(site: RawSite) -> list[str]:
    return [each["path"] for each in site.asked]


async def test_a_page_that_redirects_to_itself_gets_its_cookie() -> None:
    site = RawSite({"/": with_cookie})
    assert await read(site) == "Argus"
    assert paths(site) == ["/", "/"]


async def test_cookies_are_forgotten_after_the_visit() -> None:
    site = RawSite({"/": with_cookie})
    async with site.serving():
        for _ in range(2):
            assert (await visited(site)).body == b"Argus"
    assert ["cookie" in each for each in site.asked] == [False, True, False, True]


async def test_a_cookie_goes_only_where_it_is_for() -> None:
    elsewhere = RawSite({"/b": lambda asked: response(repr(asked.get("cookie")))})
    async with elsewhere.serving():
        url = elsewhere.url.replace("127.0.0.1", "localhost")
        fields = (
            "Set-Cookie: here=1",
            "Set-Cookie: other=1; Domain=localhost",
            "Set-Cookie: tls=1; Secure",
            "Set-Cookie: folder=1; Path=/folder",
        )
        own = RawSite({"/": moved("/a", *fields), "/a": moved(f"{url}/b")})
        assert await read(own) == "None"
    assert own.asked[1]["cookie"] == "here=1"


async def test_a_login_alone_decides_which_cookies_are_sent() -> None:
    class Header:
        noted = 0

        def headers(self, url: str) -> Mapping[str, str]:
            return {"X-Key": "secret"} if url.endswith("/") else {}

        def note(self, url: str, set_cookies: Sequence[str]) -> None:
            self.noted += len(set_cookies)

    site = RawSite({"/": moved("/b", "Set-Cookie: session=1"), "/b": response("Argus")})
    login, guard = Header(), EgressGuard(EgressPolicy(["127.0.0.0/8"]))
    async with site.serving(), Fetcher(guard, RUDE) as fetcher:
        await fetcher.get(PageQuery(f"{site.url}/"), login)
    assert login.noted == 1
    assert [each.keys() & {"cookie", "x-key"} for each in site.asked] == [{"x-key"}, set()]


async def test_a_redirect_to_itself_without_a_cookie_ends() -> None:
    site = RawSite({"/": moved("/")})
    with pytest.raises(FetchFailed, match="too many redirects"):
        await read(site)
    assert len(site.asked) == 1 + MAX_REDIRECTS


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"/caf\xe9", "/caf%E9"),
        ("/café".encode(), "/caf%C3%A9"),
        (b"/a b", "/a%20b"),
        (b"\\a\\b?c=\\", "/a/b?c=%5C"),
        (b"/a\tb", "/ab"),
        (b"?q=\xfc", "/?q=%FC"),
        (b"/a#b", "/a"),
    ],
)
async def test_a_redirect_leads_where_it_leads_browsers(target: bytes, path: str) -> None:
    head = b"HTTP/1.1 301 Moved\r\nLocation: " + target + b"\r\nContent-Length: 0\r\n\r\n"
    site = RawSite({"/": head, path: response("Argus")})
    assert await read(site) == "Argus"


@pytest.mark.parametrize("target", ["http://[", "http://a b/", "javascript:x()", "http://\udce9/"])
def test_an_address_that_is_none_leads_nowhere(target: str) -> None:
    assert target_url("https://example.org/", target) is None


@pytest.mark.parametrize(
    "content",
    [
        "0;url=/new",
        "0; URL=new",
        "5; url='/new'",
        " 3 , Url = &quot;/new&quot; rubbish",
        "1.9;/new",
        "0 url=/new",
        ".9;url=/new",
        "0;url=/n&#101;w",
    ],
)
async def test_a_page_that_leads_on_within_seconds_is_followed(content: str) -> None:
    site = RawSite({"/": refreshing(content), "/new": response("Argus", HTML)})
    assert await read(site) == "Argus"


def test_a_page_leads_on_by_its_base() -> None:
    page = b"<base href='/other/'><meta http-equiv=refresh content='0; url=new'>"
    assert refresh_target(None, "text/html", page) == "/other/new"
    assert refresh_target(None, "text/html", page.replace(b"/other/", b"http://[")) is None


async def test_a_header_leads_on_as_well_whatever_the_content() -> None:
    site = RawSite({"/": response("", "Refresh: 0; url=/new"), "/new": response("Argus")})
    assert await read(site) == "Argus"


@pytest.mark.parametrize(
    "page",
    [
        "<meta http-equiv=refresh content='6; url=/new'>",
        "<meta http-equiv=refresh content='300'>",
        "<meta http-equiv=refresh content='5'>",
        "<meta http-equiv=refresh content='0; url='>",
        "<meta http-equiv=refresh content='0; url=/'>",
        "<meta http-equiv=refresh content='0; url=#top'>",
        "<meta http-equiv=refresh content='; url=/new'>",
        "<meta http-equiv=refresh content='99999999999; url=/new'>",
        "<meta http-equiv=refresh content='soon; url=/new'>",
        "<meta http-equiv=refresh content='0; url=javascript:x()'>",
        "<meta name=refresh content='0; url=/new'>",
        "<!-- <meta http-equiv=refresh content='0; url=/new'> -->",
        "<noscript><meta http-equiv=refresh content='0; url=/new'></noscript>",
        "<script>'<meta http-equiv=refresh content=\"0; url=/new\">'</script>",
        "<title><meta http-equiv=refresh content='0; url=/new'></title>",
        "<p title=\"<meta http-equiv=refresh content='0; url=/new'>\">",
    ],
)
async def test_a_page_that_stays_is_no_redirect(page: str) -> None:
    site = RawSite({"/": response(page, HTML), "/new": response("elsewhere")})
    assert await read(site) == page
    assert paths(site) == ["/"]


async def test_what_is_no_html_leads_nowhere() -> None:
    text = "<meta http-equiv=refresh content='0; url=/new'>"
    site = RawSite({"/": response(text, "Content-Type: text/plain")})
    assert await read(site) == text


async def test_a_page_that_leads_to_itself_is_read_again_with_its_cookie_only() -> None:
    def challenge(asked: Asked) -> bytes:
        if "cookie" in asked:
            return response("Argus", HTML)
        return refreshing("0; url=/", "Set-Cookie: seen=1")

    def ticker(_: Asked) -> bytes:
        return refreshing("5; url=/ticker", f"Set-Cookie: session={len(site.asked)}")

    site = RawSite({"/": challenge, "/ticker": ticker})
    assert await read(site) == "Argus"
    site.asked.clear()
    assert "wait" in await read(site, "/ticker")
    assert len(site.asked) == 2


async def test_pages_that_show_each_other_in_turn_are_the_first() -> None:
    turn = "5; url="
    site = RawSite({"/a": refreshing(f"{turn}/b", "X: a"), "/b": refreshing(f"{turn}/a")})
    async with site.serving():
        assert (await visited(site, "/a")).url == f"{site.url}/a"
    assert paths(site) == ["/a", "/b"]


async def test_redirects_of_all_kinds_are_counted_together() -> None:
    def onwards(asked: Asked) -> bytes:
        number = int(asked["path"].strip("/"))
        return refreshing(f"0; url=/{number + 1}") if number % 2 else moved(f"/{number + 1}")

    count = 2 + MAX_REDIRECTS
    site = RawSite({f"/{number}": onwards for number in range(count)})
    with pytest.raises(FetchFailed, match="too many redirects"):
        await read(site, "/0")
    assert len(site.asked) == 1 + MAX_REDIRECTS


async def test_each_hop_of_a_page_is_checked_for_where_it_leads() -> None:
    site = RawSite({"/": refreshing("0; url=http://169.254.169.254/latest/")})
    with pytest.raises(FetchFailed, match=r"address 169\.254\.169\.254 is private"):
        await read(site)


async def test_each_hop_of_a_page_is_allowed_by_robots_txt() -> None:
    rules = response("User-agent: *\nDisallow: /new")
    answers = {"/robots.txt": rules, "/": refreshing("0; url=/new"), "/new": response("Argus")}
    guard = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
    async with RawSite(answers).serving() as site, Fetcher(guard, Politeness()) as fetcher:
        with pytest.raises(FetchFailed, match=r"robots\.txt does not allow it"):
            await fetcher.get(PageQuery(f"{site.url}/"))
    assert "/new" not in paths(site)


@pytest.mark.parametrize(
    "body", [b"<script " * 20_000, b"<title>" * 20_000, b"<meta http-equiv='" * 9_000]
)
def test_a_page_that_leads_nowhere_in_many_words_is_given_up(body: bytes) -> None:
    assert refresh_target(None, "text/html", b"refresh" + body) is None


@pytest.mark.parametrize(
    ("page", "target"),
    [
        (b"<head>%s<meta http-equiv=refresh content='0; url=/new'></head>", "/new"),
        (b"<p>%s<meta http-equiv=refresh content='0; url=/new'>", "/new"),
        (b"<head></head><p>%s<meta http-equiv=refresh content='0; url=/new'>", None),
        (b"<head></head><p><meta http-equiv=refresh content='0; url=/new'>%s", "/new"),
    ],
)
def test_a_page_leads_on_by_its_head_or_its_beginning(page: bytes, target: str | None) -> None:
    assert refresh_target(None, "text/html", page % (b"<link>" * 2_000)) == target
