"""The cookie of a session, with and without TLS before the API."""

from aiohttp import ClientResponse, ClientSession

from connectors.page.session.sessions import COOKIE, SECURE_COOKIE
from connectors.page.session.signing_in import FAILURES_PER_MINUTE
from tests.connectors.page.session.test_guard import TOKEN, signed_in
from tests.harness.page import ServedPage

BY_TLS = {"X-Forwarded-Proto": "https"}


async def by_tls(
    http: ClientSession, served: ServedPage, cookie: str, path: str = "/", **form: str
) -> ClientResponse:
    """Ask as a proxy with TLS does; with a form also send it, with the token of its page."""
    headers = {**BY_TLS, "Cookie": cookie}
    response = await http.get(served.base + path, headers=headers, allow_redirects=False)
    if not form:
        return response
    found = TOKEN.search(await response.text())
    assert found
    headers["Origin"] = form.pop("origin", served.base.replace("http:", "https:"))
    form["token"] = found[1]
    where = served.base + form.pop("to", path)
    return await http.post(where, data=form, headers=headers, allow_redirects=False)


async def cookie_by_tls(http: ClientSession, served: ServedPage, secret: str) -> str:
    response = await by_tls(http, served, "", "/sign-in", key=secret)
    assert response.status == 303
    return response.headers["Set-Cookie"]


async def test_by_tls_the_cookie_is_for_this_host_alone(
    served: ServedPage, http: ClientSession
) -> None:
    cookie = await cookie_by_tls(http, served, served.add_key("news-desk"))
    assert cookie.startswith(f"{SECURE_COOKIE}=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Strict"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    value = cookie.partition(";")[0]
    assert (await by_tls(http, served, value)).status == 200


async def test_by_tls_a_cookie_that_another_site_could_have_set_opens_nothing(
    served: ServedPage, http: ClientSession
) -> None:
    response = await signed_in(http, served, served.add_key("news-desk"))
    value = response.headers["Set-Cookie"].partition(";")[0]
    assert value.startswith(f"{COOKIE}=")
    assert (await by_tls(http, served, value)).status == 303
    stolen = value.replace(COOKIE, f"{SECURE_COOKIE.lower()}")
    assert (await by_tls(http, served, stolen)).status == 303


async def test_by_tls_a_form_of_this_host_without_tls_is_refused(
    served: ServedPage, http: ClientSession
) -> None:
    secret = served.add_key("news-desk")
    response = await by_tls(http, served, "", "/sign-in", key=secret, origin=served.base)
    assert response.status == 403
    assert "sent from another site" in await response.text()


async def test_who_signs_in_again_leaves_the_session_before(
    served: ServedPage, http: ClientSession
) -> None:
    secret = served.add_key("news-desk")
    first = (await cookie_by_tls(http, served, secret)).partition(";")[0]
    again = await by_tls(http, served, first, "/sign-in", key=secret)
    second = again.headers["Set-Cookie"].partition(";")[0]
    assert second != first
    assert (await by_tls(http, served, first)).status == 303
    assert (await by_tls(http, served, second)).status == 200


async def test_signing_out_removes_the_cookie_that_tls_has(
    served: ServedPage, http: ClientSession
) -> None:
    value = (await cookie_by_tls(http, served, served.add_key("m"))).partition(";")[0]
    response = await by_tls(http, served, value, "/", to="/sign-out", x="y")
    removed = response.headers["Set-Cookie"]
    assert removed.startswith(f'{SECURE_COOKIE}=""; ')
    assert "Max-Age=0" in removed
    assert "Secure" in removed
    assert (await by_tls(http, served, value)).status == 303


async def test_wrong_keys_are_counted_for_each_visitor_of_a_proxy(
    served: ServedPage, http: ClientSession
) -> None:
    served.add_key("news-desk")
    token = TOKEN.search(await (await http.get(f"{served.base}/sign-in")).text())
    assert token

    async def failed(address: str) -> int:
        headers = {"Origin": served.base, "X-Forwarded-For": f"203.0.113.9, {address}"}
        form = {"token": token[1], "key": "vk_wrong"}
        return (await http.post(f"{served.base}/sign-in", data=form, headers=headers)).status

    statuses = [await failed("192.0.2.1") for _ in range(FAILURES_PER_MINUTE + 1)]
    assert statuses == [403] * FAILURES_PER_MINUTE + [429]
    assert await failed("192.0.2.2") == 403
