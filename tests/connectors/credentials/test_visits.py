"""What one visit sends of credentials, and what it may renew of them."""

from typing import Any

import pytest

from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.login import Login
from schemas.records.credentials import SealedCredentials

NOW = 1_700_000_000.0


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
def test_names_above_and_under_a_known_one_are_of_its_site(other: str) -> None:
    visit = login("https://www.example.test/", "www.example.test")
    visit.note(other, ["t=1; Path=/"])
    assert visit.headers(other) == {"Cookie": "t=1"}


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
