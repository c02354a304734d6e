"""Sign in with an account of the team's issuer, and everything by which it is refused."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio
from aiohttp import ClientResponse, ClientSession
from joserfc.jwk import OctKey, RSAKey
from playwright.async_api import Page, expect
from yarl import URL

from connectors.access.roles import Role
from connectors.openid.attempts import LIFETIME_S, SignInAttempts
from connectors.openid.fetching import MAX_BYTES
from connectors.openid.issuer import KEYS_AGAIN_S, LEEWAY_S, Client, Issuer
from connectors.openid.members import MemberRules
from connectors.page.session.sessions import MEMBER_LIFETIME_S
from connectors.page.session.signing_in import BEGIN, RETURN, Team
from tests.connectors.page.session.test_guard import sent, token_of
from tests.connectors.page.test_accessibility import faults
from tests.fakes.subscriptions import subscribed
from tests.harness.page import SIGNING_KEY, PageClock, ServedPage, serving_page
from tests.servers.openid import CLIENT_ID, CLIENT_SECRET, Provider, serving_provider

RULES = MemberRules(((Role.READ, "staff"), (Role.ADMIN, "ops")), "groups", "news-desk")


@dataclass
class Office:
    """The page, and the provider with the accounts of its team."""

    served: ServedPage
    provider: Provider
    http: ClientSession

    async def begin(self, target: str = "/") -> str:
        """Begin in this browser; returns where it is sent."""
        url = URL(self.served.base + BEGIN).with_query(next=target)
        async with self.http.get(url, allow_redirects=False) as response:
            assert response.status == 303, await response.text()
            return response.headers["Location"]

    async def approved(self, url: str) -> str:
        """Sign in at the provider; returns where it sends the browser back."""
        async with self.http.get(URL(url, encoded=True), allow_redirects=False) as response:
            return response.headers["Location"]

    async def back(self, url: str) -> ClientResponse:
        return await self.http.get(URL(url, encoded=True), allow_redirects=False)

    async def sign_in(self, target: str = "/") -> ClientResponse:
        return await self.back(await self.approved(await self.begin(target)))

    async def status(self, path: str = "/") -> int:
        async with self.http.get(self.served.base + path, allow_redirects=False) as response:
            return response.status

    async def refusal(self, response: ClientResponse, status: int = 403) -> str:
        """Check that a sign-in was refused and began no session; returns the page."""
        assert response.status == status
        assert await self.status() == 303
        return await response.text()


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path, http: ClientSession) -> AsyncIterator[Office]:
    async with serving_provider("", lambda: 0.0) as provider:

        def team_at(address: str, clock: PageClock) -> Team:
            provider.redirect, provider.now = address + RETURN, lambda: clock.now
            client = Client(provider.base, CLIENT_ID, CLIENT_SECRET, provider.redirect)
            issuer = Issuer(client, lambda: clock.now, lambda: clock.monotonic)
            return Team(issuer, RULES, SignInAttempts(SIGNING_KEY, lambda: clock.now))

        async with serving_page(tmp_path, team_at) as served:
            yield Office(served, provider, http)


async def test_an_account_gets_the_manager_and_the_role_of_its_claims(office: Office) -> None:
    mine, other = subscribed(key="a", manager="news-desk"), subscribed(key="b")
    await office.served.store.read_side.record([mine, other])
    assert await office.status() == 303
    response = await office.sign_in("/news?client=a")
    assert response.status == 200
    assert 'content="0; url=/news?client=a"' in await response.text()
    async with office.http.get(office.served.base) as shown:
        text = await shown.text()
    assert "client.test/a<" in text
    assert "client.test/b<" not in text
    assert (await office.status("/add"), await office.status("/pipeline")) == (403, 403)


async def test_an_administrator_of_the_team_is_one_here(office: Office) -> None:
    office.provider.claims["groups"] = ["staff", "ops"]
    assert (await office.sign_in()).status == 200
    assert await office.status("/pipeline") == 200


async def test_the_browser_is_asked_for_what_the_flow_needs_and_its_cookie_is_not_readable(
    office: Office,
) -> None:
    async with office.http.get(office.served.base + BEGIN, allow_redirects=False) as response:
        cookie, where = response.headers["Set-Cookie"], urlsplit(response.headers["Location"])
    asked = {name: values[0] for name, values in parse_qs(where.query).items()}
    assert asked.keys() == {
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method",
    }  # fmt: skip
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    assert asked["redirect_uri"] == office.served.base + RETURN
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


@pytest.mark.parametrize("spoil", [
    {"nonce": "x"}, {"nonce": None}, {"aud": "other"}, {"aud": [CLIENT_ID, "other"]},
    {"aud": None}, {"azp": "other"}, {"iss": "https://evil.example"}, {"iss": None}, {"sub": None},
    {"exp": 1}, {"exp": "never"}, {"exp": None}, {"iat": 9_999_999_999}, {"nbf": 9_999_999_999},
    {"at_hash": "x"}, {"at_hash": 1},
])  # fmt: skip
async def test_a_token_that_is_for_another_sign_in_client_or_time_is_refused(
    office: Office, spoil: dict[str, Any]
) -> None:
    office.provider.spoil = spoil
    text = await office.refusal(await office.sign_in())
    assert "The ID token of the issuer is not valid" in text


async def test_a_token_that_is_not_signed_with_a_key_of_the_issuer_is_refused(
    office: Office,
) -> None:
    for header, key in (
        ({"alg": "none"}, None),
        ({"alg": "HS256"}, OctKey.import_key(CLIENT_SECRET * 2)),
        ({}, RSAKey.generate_key(2048, {"kid": "1"})),
        ({"kid": "other"}, RSAKey.generate_key(2048, {"kid": "other"})),
    ):
        office.provider.header, office.provider.signing_key = header, key
        await office.refusal(await office.sign_in())
    office.provider.header, office.provider.signing_key = {}, None
    assert (await office.sign_in()).status == 200


async def test_clocks_may_differ_by_a_minute(office: Office) -> None:
    now = int(office.served.clock.now)
    office.provider.spoil = {"iat": now + LEEWAY_S, "exp": now - LEEWAY_S + 1}
    assert (await office.sign_in()).status == 200
    office.http.cookie_jar.clear()
    office.provider.spoil = {"exp": now - LEEWAY_S}
    await office.refusal(await office.sign_in())


async def test_an_account_without_a_role_is_told_which_claim_it_lacks(office: Office) -> None:
    office.provider.claims["groups"] = ["visitors"]
    text = await office.refusal(await office.sign_in())
    assert "its claim &#39;groups&#39; has none of the values" in text


async def test_an_answer_for_another_browser_signs_nobody_in(office: Office) -> None:
    answer = await office.approved(await office.begin())
    office.http.cookie_jar.clear()
    text = await office.refusal(await office.back(answer))
    assert "This sign-in was not begun in this browser" in text
    await office.begin()  # of the victim; the attacker's answer has another state
    await office.refusal(await office.back(answer))


async def test_an_answer_is_taken_once(office: Office) -> None:
    where = await office.begin()
    (cookie,) = [each for each in office.http.cookie_jar if each.key == "vokter_sign_in"]
    answer = await office.approved(where)
    assert (await office.back(answer)).status == 200
    office.http.cookie_jar.clear()
    headers = {"Cookie": f"{cookie.key}={cookie.value}"}
    url = URL(answer, encoded=True)
    replayed = await office.http.get(url, headers=headers, allow_redirects=False)
    await office.refusal(replayed)


async def test_a_code_of_another_sign_in_is_refused_by_its_verifier(office: Office) -> None:
    stolen = URL(await office.approved(await office.begin()), encoded=True)
    office.http.cookie_jar.clear()
    mine = URL(await office.approved(await office.begin()), encoded=True)
    mixed = mine.update_query(code=stolen.query["code"])
    text = await office.refusal(await office.back(str(mixed)))
    assert "invalid_grant" in text


async def test_an_answer_that_comes_too_late_or_from_another_issuer_is_refused(
    office: Office,
) -> None:
    answer = URL(await office.approved(await office.begin()), encoded=True)
    await office.refusal(await office.back(str(answer.update_query(iss="https://evil.example"))))
    answer = URL(await office.approved(await office.begin()), encoded=True)
    office.served.clock.now += LIFETIME_S
    await office.refusal(await office.back(str(answer)))


@pytest.mark.parametrize(
    "query", ["", "?state=x", "?state=x&code=y", "?error=access_denied&state=", "?state=%ff%00"]
)
async def test_an_answer_that_nobody_asked_for_is_refused(office: Office, query: str) -> None:
    await office.refusal(await office.back(office.served.base + RETURN + query))
    assert "/token" not in office.provider.asked


@pytest.mark.parametrize("change", ["x", "..", "é.1.L.x", ""])
async def test_a_changed_cookie_of_a_sign_in_is_refused(office: Office, change: str) -> None:
    answer = await office.approved(await office.begin())
    office.http.cookie_jar.clear()
    headers = {"Cookie": f"vokter_sign_in={change}"}
    url = URL(answer, encoded=True)
    await office.refusal(await office.http.get(url, headers=headers, allow_redirects=False))


async def test_the_issuers_own_refusal_is_shown_and_escaped(office: Office) -> None:
    state = URL(await office.begin()).query["state"]
    answer = URL(office.served.base + RETURN).with_query(
        state=state, error="access_denied", error_description="<b>no" * 100
    )
    text = await office.refusal(await office.back(str(answer)))
    assert "access_denied &lt;b&gt;no" in text
    assert text.count("&lt;b&gt;") < 50


async def test_signing_in_leads_to_no_other_site(office: Office) -> None:
    for target in ("//evil.example/", "https://evil.example/", "/\\evil.example", "x", "/ü"):
        text = await (await office.sign_in(target)).text()
        assert 'content="0; url=/"' in text
        office.http.cookie_jar.clear()


async def test_new_keys_of_the_issuer_are_fetched_once_a_minute_at_most(office: Office) -> None:
    assert (await office.sign_in()).status == 200
    office.http.cookie_jar.clear()
    office.provider.rotate()
    await office.refusal(await office.sign_in())
    assert office.provider.asked.count("/keys") == 1
    office.served.clock.monotonic += KEYS_AGAIN_S
    assert (await office.sign_in()).status == 200
    assert office.provider.asked.count("/keys") == 2


@pytest.mark.parametrize(("path", "body"), [
    ("/token", b"{" + b" " * MAX_BYTES + b"}"), ("/token", b"<html>"), ("/token", b"[]"),
    ("/token", b"[" * 100_000), ("/keys", b'{"keys": {}}'), ("/keys", b"{}"),
])  # fmt: skip
async def test_a_strange_answer_of_the_issuer_is_refused_and_the_page_goes_on(
    office: Office, path: str, body: bytes
) -> None:
    office.provider.answer = {path: body}
    await office.refusal(await office.sign_in(), 503)
    office.provider.answer = {}
    assert (await office.sign_in()).status == 200


@pytest.mark.parametrize("description", [
    {"issuer": "https://evil.example"}, {"token_endpoint": "http://login.example/token"},
    {"jwks_uri": "file:///etc/passwd"}, {"authorization_endpoint": "javascript:alert(1)"},
    {"token_endpoint": None}, {"id_token_signing_alg_values_supported": ["HS256", "none"]},
])  # fmt: skip
async def test_an_issuer_whose_description_is_not_safe_is_not_used(
    office: Office, description: dict[str, Any]
) -> None:
    office.provider.description = description
    response = await office.back(office.served.base + BEGIN)
    assert response.status == 503
    assert "Nobody can sign in with an account now" in await response.text()


async def test_a_session_of_an_account_ends_with_its_time_and_when_it_signs_out(
    office: Office,
) -> None:
    await office.sign_in()
    office.served.clock.now += MEMBER_LIFETIME_S - 1
    assert await office.status() == 200
    office.served.clock.now += 1
    assert await office.status() == 303
    office.http.cookie_jar.clear()
    await office.sign_in()
    token = await token_of(office.http, office.served.base)
    assert (await sent(office.http, office.served, "/sign-out", token=token)).status == 303
    assert await office.status() == 303


async def test_a_key_still_signs_in(office: Office) -> None:
    secret = office.served.add_key("archive")
    token = await token_of(office.http, f"{office.served.base}/sign-in")
    await sent(office.http, office.served, "/sign-in", token=token, key=secret)
    assert await office.status("/add") == 200


async def test_in_a_browser_one_signs_in_from_the_page_that_one_wanted_and_stays(
    office: Office, tab: Page
) -> None:
    await tab.goto(f"{office.served.base}/news?client=page")
    assert await faults(tab) == []
    await tab.get_by_role("link", name="Sign in with 127.0.0.1").click()
    await expect(tab.get_by_role("heading", name="News", exact=True)).to_be_visible()
    assert tab.url == f"{office.served.base}/news?client=page"
    await tab.reload()
    await expect(tab.get_by_text("news-desk")).to_be_visible()
    await tab.get_by_role("button", name="Sign out").click()
    await expect(tab.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
