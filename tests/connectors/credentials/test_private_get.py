"""Requests with the credentials that a request part names."""

import pytest

from connectors.credentials.authenticated_get import PrivateGet
from connectors.credentials.errors import CredentialsUnusable
from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.login import Login
from connectors.credentials.vault import Vault
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import VisitHeaders as SentLogin
from schemas.records.answers import PageQuery, Response
from schemas.records.credentials import SealedCredentials
from schemas.records.page_requests import PageRequest

URL = "https://shop.test/"
PRIVATE = PageQuery(URL, request=PageRequest(credentials="shop", owner="desk"))


class OneLogin(Vault):
    """Has one login, or none."""

    def __init__(self, login: Login | None) -> None:
        self._login = login
        self.kept: list[Login] = []

    async def login(self, manager: str, name: str, url: str) -> Login:
        if self._login is None or (manager, name) != ("desk", "shop"):
            raise CredentialsUnusable("credentials shop do not exist")
        return self._login

    async def keep(self, login: Login) -> None:
        self.kept.append(login)


class Source:
    """A site that counts its visits, and may fail."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.logins: list[SentLogin | None] = []

    async def get(self, query: PageQuery, login: SentLogin | None = None) -> Response:
        self.logins.append(login)
        if self.error is not None:
            raise self.error
        return Response(200)


def a_login(**given: object) -> Login:
    row = SealedCredentials("desk", "shop", "", "", 0)
    return Login(row, parse_credentials(given), URL, lambda: 1_700_000_000.0)


COOKIES = {"cookies": "shop.test\tFALSE\t/\tFALSE\t0\ts\t1"}


async def test_a_page_without_credentials_needs_no_vault() -> None:
    source, vault = Source(), OneLogin(None)
    assert (await PrivateGet(source, vault).get(PageQuery(URL))).status == 200
    assert (source.logins, vault.kept) == ([None], [])


@pytest.mark.parametrize("error", [None, FetchFailed("no answer")])
async def test_what_the_site_has_renewed_is_kept_even_if_the_page_failed(
    error: FetchFailed | None,
) -> None:
    login = a_login(**COOKIES)
    source, vault = Source(error), OneLogin(login)
    if error is None:
        assert (await PrivateGet(source, vault).get(PRIVATE)).status == 200
    else:
        with pytest.raises(FetchFailed, match="no answer"):
            await PrivateGet(source, vault).get(PRIVATE)
    assert (source.logins, vault.kept) == ([login], [login])


async def test_without_usable_credentials_nothing_is_requested() -> None:
    source, secrets = Source(), a_login(**{"for": URL[:-1], "secrets": {"password": "hush"}})
    for login, reason in ((None, "do not exist"), (secrets, "set view.render")):
        with pytest.raises(FetchFailed, match=reason):
            await PrivateGet(source, OneLogin(login)).get(PRIVATE)
    assert source.logins == []
