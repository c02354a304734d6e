"""Who may see the page, by requests that no browser of ours would make."""

import re
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import ClientConnectionResetError, ClientResponse, ClientSession
from aiohttp.test_utils import make_mocked_request
from structlog.testing import capture_logs

from connectors.access.keys import save_keys
from connectors.page.session.guard import page_middleware
from connectors.page.session.sessions import LIFETIME_S
from connectors.page.session.signing_in import FAILURES_PER_MINUTE
from tests.fakes.subscriptions import subscribed
from tests.harness.page import ServedPage

TOKEN = re.compile(r'name="token" value="([^"]+)"')


async def token_of(http: ClientSession, address: str) -> str:
    async with http.get(address) as response:
        found = TOKEN.search(await response.text())
    assert found, address
    return found[1]


async def sent(
    http: ClientSession, served: ServedPage, path: str, origin: str | None = None, **form: str
) -> ClientResponse:
    headers = {"Origin": origin if origin is not None else served.base}
    return await http.post(served.base + path, data=form, headers=headers, allow_redirects=False)


async def signed_in(http: ClientSession, served: ServedPage, secret: str) -> ClientResponse:
    token = await token_of(http, f"{served.base}/sign-in")
    return await sent(http, served, "/sign-in", token=token, key=secret)


class TestWithoutKeys:
    async def test_the_page_is_the_default_managers(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        mine, other = subscribed(key="a"), subscribed(key="b", manager="other")
        await served.store.read_side.record([mine, other])
        async with http.get(served.base) as response:
            text = await response.text()
        assert response.status == 200
        assert "client.test/a<" in text
        assert "client.test/b<" not in text

    @pytest.mark.parametrize("headers", [
        {"Host": "evil.example"}, {"Host": "192.168.1.1:9000"}, {"Origin": "https://evil.example"},
    ])  # fmt: skip
    async def test_a_name_that_was_made_to_lead_here_shows_nothing(
        self, served: ServedPage, http: ClientSession, headers: dict[str, str]
    ) -> None:
        await served.store.read_side.record([subscribed(key="a")])
        async with http.get(served.base, headers=headers) as response:
            text = await response.text()
        assert response.status == 403
        assert "client.test/" not in text
        assert "Without API keys" in text

    async def test_there_is_nothing_to_sign_in_to(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        async with http.get(f"{served.base}/sign-in", allow_redirects=False) as response:
            assert (response.status, response.headers["Location"]) == (303, "/")


class TestWithoutTheLastKey:
    async def test_the_form_says_that_no_key_signs_in_and_what_to_do(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        served.add_key("default")
        said = {}
        for has_key in (True, False):
            if not has_key:
                save_keys(served.keys, [])
            async with http.get(f"{served.base}/sign-in") as response:
                said[has_key] = await response.text()
        assert "There is no API key any more" not in said[True]
        assert "There is no API key any more" in said[False]
        assert "vokter keys add" in said[False]
        assert "After a restart no key is needed" in said[False]


class TestForms:
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
    async def test_a_form_of_another_site_is_refused_with_its_reason(
        self, served: ServedPage, http: ClientSession, origin: str
    ) -> None:
        served.add_key("news-desk")
        token = await token_of(http, f"{served.base}/sign-in")
        response = await sent(http, served, "/sign-in", origin, token=token, key="vk_x")
        assert response.status == 403
        assert "sent from another site" in await response.text()

    async def test_a_form_without_its_token_is_refused(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        served.add_key("news-desk")
        for form in ({}, {"token": "x"}, {"token": "é"}):
            response = await sent(http, served, "/sign-in", key="vk_x", **form)
            assert response.status == 403
            assert "older than your session" in await response.text()

    async def test_a_form_of_another_session_is_refused(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        before = await token_of(http, f"{served.base}/sign-in")
        await signed_in(http, served, secret)
        assert (await sent(http, served, "/sign-out", token=before)).status == 403
        async with http.get(served.base) as response:
            assert response.status == 200


class TestSessions:
    async def test_without_a_session_one_is_sent_to_sign_in_and_back(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        served.add_key("news-desk")
        async with http.get(f"{served.base}/?q=a%26b", allow_redirects=False) as response:
            assert response.headers["Location"] == "/sign-in?next=/?q%3Da%2526b"
        async with http.get(served.base + response.headers["Location"]) as response:
            assert 'name="next" value="/?q=a%26b"' in await response.text()

    async def test_a_key_opens_a_session_for_its_manager_alone(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        mine, other = subscribed(key="a", manager="news-desk"), subscribed(key="b")
        await served.store.read_side.record([mine, other])
        response = await signed_in(http, served, secret)
        assert response.status == 303
        async with http.get(served.base) as shown:
            text = await shown.text()
        assert "client.test/a<" in text
        assert "client.test/b<" not in text

    async def test_the_cookie_is_not_the_key_and_no_script_reads_it(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        response = await signed_in(http, served, secret)
        cookie = response.headers["Set-Cookie"]
        assert secret.removeprefix("vk_") not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert "Secure" not in cookie

    async def test_behind_tls_the_cookie_is_sent_by_tls_alone(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        token = await token_of(http, f"{served.base}/sign-in")
        secure = served.base.replace("http:", "https:")
        response = await sent(http, served, "/sign-in", secure, token=token, key=secret)
        assert "Secure" in response.headers["Set-Cookie"]

    async def test_a_session_ends_with_its_time(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await signed_in(http, served, served.add_key("news-desk"))
        served.clock.now += LIFETIME_S - 1
        assert (await http.get(served.base, allow_redirects=False)).status == 200
        served.clock.now += 1
        assert (await http.get(served.base, allow_redirects=False)).status == 303

    async def test_a_session_ends_with_its_key(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await signed_in(http, served, served.add_key("news-desk"))
        save_keys(served.keys, [])
        assert (await http.get(served.base, allow_redirects=False)).status == 303

    async def test_after_signing_out_a_kept_cookie_opens_nothing(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        response = await signed_in(http, served, served.add_key("news-desk"))
        cookie = response.headers["Set-Cookie"].partition(";")[0]
        token = await token_of(http, served.base)
        assert (await sent(http, served, "/sign-out", token=token)).status == 303
        async with http.get(served.base, headers={"Cookie": cookie}, allow_redirects=False) as kept:
            assert kept.status == 303

    @pytest.mark.parametrize("change", [
        lambda value: value[:-1] + ("A" if value[-1] != "A" else "B"),
        lambda value: value.replace(".17", ".18", 1),
        lambda value: "é" + value, lambda value: "...", lambda value: "",
    ])  # fmt: skip
    async def test_a_changed_cookie_opens_nothing(
        self, served: ServedPage, http: ClientSession, change: Any
    ) -> None:
        response = await signed_in(http, served, served.add_key("news-desk"))
        name, _, value = response.headers["Set-Cookie"].partition(";")[0].partition("=")
        http.cookie_jar.clear()
        headers = {"Cookie": f"{name}={change(value)}"}
        async with http.get(served.base, headers=headers, allow_redirects=False) as kept:
            assert kept.status == 303

    async def test_wrong_keys_are_refused_and_keep_nobody_with_a_right_one_out(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        for _ in range(FAILURES_PER_MINUTE):
            response = await signed_in(http, served, "vk_wrong")
            assert response.status == 403
            assert "There is no such key" in await response.text()
        response = await signed_in(http, served, "vk_wrong")
        assert (response.status, response.headers["Retry-After"]) == (429, "7")
        assert (await signed_in(http, served, secret)).status == 303
        http.cookie_jar.clear()
        served.clock.monotonic += 7
        assert (await signed_in(http, served, "vk_wrong")).status == 403

    async def test_signing_in_leads_to_no_other_site(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        secret = served.add_key("news-desk")
        for asked in ("https://evil.example/", "//evil.example/", "/\\evil.example", "evil"):
            token = await token_of(http, f"{served.base}/sign-in")
            form = {"token": token, "key": secret, "next": asked}
            response = await sent(http, served, "/sign-in", **form)
            assert response.headers["Location"] == "/"
            http.cookie_jar.clear()

    async def test_pages_count_as_requests_of_the_key(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await signed_in(http, served, served.add_key("news-desk", per_minute=2))
        statuses = [(await http.get(served.base)).status for _ in range(3)]
        assert statuses == [200, 200, 429]

    async def test_a_form_after_the_session_does_nothing(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        served.add_key("news-desk")
        http.headers["Accept-Language"] = "de"
        token = await token_of(http, f"{served.base}/sign-in")
        response = await sent(http, served, "/sign-out", token=token)
        assert response.status == 401
        assert "Abgemeldet, daher ist nichts geschehen" in await response.text()


def assert_guarded(response: ClientResponse) -> None:
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_every_answer_forbids_what_is_not_ours(
    served: ServedPage, http: ClientSession
) -> None:
    for path in ("/", "/nothing", "/static/page.css", "/static/nothing", "/sign-in"):
        async with http.get(served.base + path, allow_redirects=False) as response:
            assert_guarded(response)
    secret = served.add_key("news-desk")
    async with http.get(served.base, allow_redirects=False) as response:
        assert response.status == 303
        assert_guarded(response)
        assert response.headers["Cache-Control"] == "no-store"
    response = await signed_in(http, served, secret)
    assert_guarded(response)
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_fault_of_ours_is_said_in_a_page_that_is_guarded_as_well(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.store.subscriptions, "search", Mock(side_effect=KeyError("x")))
    with capture_logs() as logged:
        response = await http.get(served.base)
    assert (response.status, [each["event"] for each in logged]) == (500, ["a page failed"])
    assert_guarded(response)
    assert "KeyError" not in await response.text()


async def test_a_browser_that_goes_before_its_answer_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("connectors.page.session.guard.needed_role", lambda _: None)
    gone = Mock(is_closing=lambda: True)
    request = make_mocked_request("GET", "/news/live", transport=gone)
    handler = AsyncMock(side_effect=ClientConnectionResetError("Cannot write"))
    with capture_logs() as logged, pytest.raises(ClientConnectionResetError):
        await page_middleware(Mock(), Mock())(request, handler)
    assert logged == []


@pytest.mark.parametrize(("content_type", "body"), [
    ("application/x-www-form-urlencoded; charset=nope", b"token=a"),
    ("multipart/form-data; boundary=x", b"Content-Type: text/plain; charset=nope"),
    ("multipart/form-data; boundary=x", b"Content-Transfer-Encoding: nope"),
    ("multipart/form-data", b"X: y"),
])  # fmt: skip
async def test_a_form_that_cannot_be_read_is_refused(
    served: ServedPage, http: ClientSession, content_type: str, body: bytes
) -> None:
    part = b"--x\r\nContent-Disposition: form-data; name=token\r\n" + body + b"\r\n\r\na\r\n--x--"
    headers = {"Origin": served.base, "Content-Type": content_type}
    response = await http.post(f"{served.base}/sign-in", data=part, headers=headers)
    assert response.status == 400
    assert "The form cannot be read" in await response.text()


@pytest.mark.parametrize("path", ["/sign-in", "/link/forged"])
async def test_a_form_in_a_damaged_encoding_is_refused_on_every_path(
    served: ServedPage, http: ClientSession, path: str
) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip"}
    headers = {"Origin": served.base, **form}
    response = await http.post(served.base + path, data=b"token=a", headers=headers)
    assert response.status == 400
    assert "The form cannot be read" in await response.text()


async def test_what_is_not_there_is_said_in_a_page(served: ServedPage, http: ClientSession) -> None:
    async with http.get(f"{served.base}/<script>") as response:
        text = await response.text()
    assert response.status == 404
    assert "&lt;script&gt;" in text
    assert (await http.post(served.base)).status == 403


async def test_the_first_view_is_small(served: ServedPage, http: ClientSession) -> None:
    facts = [subscribed(at=number, key=str(number)) for number in range(60)]
    await served.store.read_side.record(facts)
    paths = ["/", *(f"/static/{name}" for name in ("page.css", "page.js", "live.js", "times.js"))]
    sizes = [len(await (await http.get(served.base + path)).read()) for path in paths]
    assert sum(sizes) <= 100_000, sizes


async def test_a_page_that_the_browser_has_already_is_not_sent_again(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed()])
    async with http.get(served.base) as response:
        tag = response.headers["ETag"]
    async with http.get(served.base, headers={"If-None-Match": tag}) as response:
        assert (response.status, await response.read()) == (304, b"")
    await served.store.read_side.record([subscribed(at=200, key="s2")])
    async with http.get(served.base, headers={"If-None-Match": tag}) as response:
        assert response.status == 200
