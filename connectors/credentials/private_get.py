"""Requests for pages, some of which are behind a login."""

from connectors.credentials.errors import CredentialsUnusable
from connectors.credentials.vault import Vault
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher
from schemas.answers import PageQuery, Response


class PrivateGet:
    """Requests pages with the credentials that their request part names, if any."""

    def __init__(self, fetcher: Fetcher, vault: Vault) -> None:
        """Decrypt credentials with ``vault`` for each visit."""
        self._fetcher = fetcher
        self._vault = vault

    async def get(self, query: PageQuery) -> Response:
        """Request a page as ``Fetcher.get`` does; FetchFailed, too, if there are no credentials."""
        request = query.request
        if not request.credentials:
            return await self._fetcher.get(query)
        try:
            login = await self._vault.login(request.owner, request.credentials, query.url)
        except CredentialsUnusable as error:
            raise FetchFailed(str(error)) from None
        try:
            return await self._fetcher.get(query, login)
        finally:
            # Even if the page failed: the site may have renewed the session in a redirect.
            await self._vault.keep(login)
