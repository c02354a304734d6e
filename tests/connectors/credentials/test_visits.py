"""What one visit sends of credentials, and what it may renew of them."""

from dataclasses import replace
from typing import Any

import pytest

from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.login import Login
from schemas.records.credentials import Cookie, SealedCredentials

NOW = 1_700_000_000.0
URL = "http://127.0.0.1/"
WIDE = Cookie("w", "1", ".0.1", host_only=False)


def login(url: str, *lines: str, **given: Any) -> Login:
    """Begin a visit, with cookies for all paths by their domains."""
    cookies = {"cookies": "\n".join(f"{domain}\tFALSE\t/\tFALSE\t0\ts\t1" for domain in lines)}
    row = SealedCredentials("desk", "shop", "", "", 0)
    return Login(row, parse_credentials(given or cookies), url, lambda: NOW)


@pytest.mark.parametrize("stranger", ["https://evil.test/", "https://evil.github.test/"])
def test_a_site_that_a_page_redirects_to_cannot_fill_or_change_the_cookies_of_others(
    stranger: str,
) -> None:
    visit = login("https://shop.github.test/", "shop.github.test")
    before = visit.credentials
    visit.note(stranger, [f"n{n}={'x' * 4000}; Path=/{n}" for n in range(20)])
    visit.note(stranger, ["s=evil; Domain=github.test; Path=/"])
    assert not visit.was_renewed
    assert visit.headers("https://shop.github.test/") == {"Cookie": "s=1"}
    visit.note("https://shop.github.test/", ["s=2; Path=/"])
    assert [each.value for each in visit.renew(before).cookies] == ["2"]


@pytest.mark.parametrize("other", ["https://example.test/", "https://sso.www.example.test/"])
def test_who_is_sent_a_cookie_sets_some_and_nobody_else(other: str) -> None:
    own = login("https://www.example.test/", ".example.test")
    own.note(other, ["t=1; Path=/"])
    assert own.headers(other) == {"Cookie": "s=1; t=1"}
    alone = login("https://www.example.test/", "www.example.test")
    alone.note(other, ["evil=1; Path=/", "evil=1; Path=/; Domain=example.test"])
    assert not alone.was_renewed


def test_an_address_is_no_name_under_the_end_of_another() -> None:
    body = {"cookies": "127.0.0.1\tTRUE\t/\tFALSE\t0\ts\t1"}
    visit = login("http://127.0.0.1/", **body)
    kept = visit.credentials.cookies
    old = Login(visit.row, replace(visit.credentials, cookies=(*kept, WIDE)), URL, lambda: NOW)
    old.note("http://127.5.0.1/", ["evil=1; Path=/"])
    assert not old.was_renewed
    assert old.may_connect("127.5.0.1", 9090)


def test_what_another_host_may_have_set_in_a_browser_is_not_kept() -> None:
    visit = login("https://shop.github.test/", "shop.github.test")
    before, had = visit.credentials, visit.jar()
    evil = Cookie("evil", "1", ".github.test", secure=True, host_only=False)
    under = Cookie("evil", "1", "user.shop.github.test", secure=True)
    tossed = Cookie("evil", "1", ".shop.github.test", secure=True, host_only=False)
    own = Cookie("t", "1", "shop.github.test", secure=True)
    visit.bring(had, (*had, evil, under, tossed, own), ())
    assert [each.name for each in visit.renew(before).cookies] == ["s", "t"]


@pytest.mark.parametrize("host", ["[::1]", "127.0.0.1", "shop.test"])
def test_a_browser_with_cookies_connects_to_no_other_port_of_their_host(host: str) -> None:
    visit = login(f"http://{host}:8080/", host)
    bare = host.strip("[]")
    assert [visit.may_connect(bare, port) for port in (8080, 443, 9090)] == [True, True, False]
    assert visit.may_connect("elsewhere.test", 9090)


def test_a_browser_that_logs_in_with_secrets_connects_to_no_other_port_of_their_host() -> None:
    page, form = "https://shop.test:8000/", "https://sso.test:8443"
    visit = login(page, **{"for": form, "secrets": {"password": "hush"}})
    assert [visit.may_connect("sso.test", port) for port in (8443, 9090)] == [True, False]
    assert visit.may_connect("shop.test", 8000)
    assert visit.may_connect("elsewhere.test", 9090)
