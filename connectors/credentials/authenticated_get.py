"""Requests for pages, some of which are behind a login."""

from typing import Protocol

from connectors.credentials.errors import CredentialsUnusable
from connectors.credentials.login import Login
from connectors.credentials.vault import Vault
from connectors.http.errors import FetchFailed
from schemas.records.answers import PageQuery, Response


class PageSource(Protocol):
    """Functions to request pages, some of them with a login."""

    async def get(self, query: PageQuery, login: Login | None = None) -> Response:
        """Request a page."""


class PrivateGet:
    """Requests pages with the credentials of their request part, if any."""

    def __init__(self, source: PageSource, vault: Vault) -> None:
        """Decrypt credentials with ``vault`` for each visit to the ``source``."""
        self._source = source
        self._vault = vault

    async def get(self, query: PageQuery) -> Response:
        """Request a page as the source does; FetchFailed, too, if there are no credentials."""
        request = query.request
        if not request.credentials:
            return await self._source.get(query)
        try:
            login = await self._vault.login(request.owner, request.credentials, query.url)
        except CredentialsUnusable as error:
            raise FetchFailed(str(error)) from None
        if login.credentials.secrets and request.rendering is None:
            name = request.credentials
            raise FetchFailed(f"credentials {name} are for steps of a browser: set view.render")
        try:
            return await self._source.get(query, login)
        finally:
            # Even if the page failed: the site may have renewed the session in a redirect.
            await self._vault.keep(login)
