"""Who sent a request that came through a reverse proxy."""

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from connectors.serving.forwarded import TrustedProxies

HERE, PROXY, USER, LIAR = "127.0.0.1", "10.0.0.1", "192.0.2.1", "198.51.100.1"


def request(remote: str, *headers: tuple[str, str]) -> web.Request:
    made = make_mocked_request("GET", "/", CIMultiDict(headers))
    return made.clone(remote=remote)


@pytest.mark.parametrize(("remote", "forwarded", "address"), [
    (HERE, [], HERE),
    (HERE, [USER], USER),
    (PROXY, [USER], USER),
    (USER, [LIAR], USER),
    (HERE, [f"{LIAR}, {USER}"], USER),
    (HERE, [LIAR, USER], USER),
    (HERE, [f"{LIAR}, {USER}, {PROXY}"], USER),
    (HERE, [f"{USER},x,{PROXY}"], PROXY),
    (HERE, ["x"], HERE), (HERE, [""], HERE), (HERE, [f"{USER},"], HERE),
    ("::1", ["2001:db8::1"], "2001:db8::1"),
    ("::ffff:127.0.0.1", [USER], USER),
])  # fmt: skip
def test_an_address_is_believed_as_far_as_trusted_proxies_say_it(
    remote: str, forwarded: list[str], address: str
) -> None:
    proxies = TrustedProxies(("127.0.0.0/8", "::1/128", "10.0.0.0/24"))
    headers = [("X-Forwarded-For", each) for each in forwarded]
    assert proxies.address(request(remote, *headers)) == address


@pytest.mark.parametrize(("remote", "schemes", "is_secure"), [
    (HERE, ["https"], True), (HERE, ["HTTPS"], True), (HERE, ["http, https"], True),
    (HERE, ["https, http"], False), (HERE, ["https", "http"], False), (HERE, [], False),
    (USER, ["https"], False),
])  # fmt: skip
def test_tls_is_believed_if_the_nearest_proxy_is_trusted_and_says_so(
    remote: str, schemes: list[str], is_secure: bool
) -> None:
    headers = [("X-Forwarded-Proto", each) for each in schemes]
    assert TrustedProxies(("127.0.0.0/8",)).is_secure(request(remote, *headers)) == is_secure


def test_nobody_is_trusted_by_default() -> None:
    asked = request(HERE, ("X-Forwarded-For", USER), ("X-Forwarded-Proto", "https"))
    nobody = TrustedProxies(())
    assert (nobody.address(asked), nobody.is_secure(asked)) == (HERE, False)
