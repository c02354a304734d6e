"""The credentials of a deployment: set, used for visits, and kept as sites renew them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog
from cachetools import TTLCache

from connectors.credentials.errors import CredentialsUnusable, Locked, TooManyCredentials
from connectors.credentials.input_formats import check_size, checked_name
from connectors.credentials.login import Login
from connectors.stores.ports import CredentialsStore
from schemas.records.credentials import NOT_FOR_PAGES, Credentials, SealedCredentials

if TYPE_CHECKING:
    from connectors.credentials.encryption import Sealer

log = structlog.get_logger()

MOST = 100
"""Credentials of a manager."""
CACHED_S = 5.0
"""A change is used by every worker after so long at most."""
CACHED = 1_000
USE_NOTED_MS = 600_000
"""The time of the last use is exact to this."""
TRIES = 3
"""Attempts to keep renewed cookies while other visits renew them, too."""

Opened = tuple[SealedCredentials, Credentials]


class Vault:
    """Encrypts credentials for the store, and decrypts them for visits."""

    def __init__(
        self,
        store: CredentialsStore,
        signing_key: Callable[[], bytes | None],
        clock: Callable[[], int],
        timer: Callable[[], float],
    ) -> None:
        """``clock`` returns epoch ms, ``timer`` seconds, for the cache.

        ``signing_key`` returns the deployment's, without which nothing can be decrypted. The
        function is called until there is a key: another process may create the key.
        """
        self._store = store
        self._signing_key = signing_key
        self._sealer: Sealer | None = None
        self._clock = clock
        self._opened: TTLCache[tuple[str, str], Opened] = TTLCache(CACHED, CACHED_S, timer)

    async def put(self, manager: str, name: str, given: Credentials) -> SealedCredentials:
        """Store credentials, in place of those of the same name.

        Raises InvalidCredentials, TooManyCredentials, and CredentialsUnusable without a key.
        """
        row = SealedCredentials(
            manager, checked_name(name), given.kind, check_size(given).sent_to, self._clock()
        )
        sealed = await self._sealed(row, given)
        if not await self._store.put(sealed, MOST):
            raise TooManyCredentials(f"There are {MOST} credentials already; remove some first.")
        self._opened.pop((manager, name), None)
        return row

    async def login(self, manager: str, name: str, url: str) -> Login:
        """Load credentials for a visit to a canonical URL; raises CredentialsUnusable."""
        row, credentials = await self._open(manager, name)
        if row.kind in NOT_FOR_PAGES:
            raise CredentialsUnusable(f"credentials {name} are a {row.kind}, not for pages")
        return Login(row, credentials, url, lambda: self._clock() / 1000)

    async def open(self, manager: str, name: str) -> Credentials:
        """Load credentials not meant for visits; raises CredentialsUnusable."""
        return (await self._open(manager, name))[1]

    async def keep(self, login: Login) -> None:
        """Store the cookies renewed by the site in a visit, once the visit is over.

        Renewed cookies of credentials set again or removed meanwhile are of no use any more.
        """
        manager, name = login.row.manager, login.row.name
        for _ in range(TRIES if login.was_renewed else 0):
            try:
                row, before = await self._open(manager, name)
            except CredentialsUnusable:
                return
            after = login.renew(before)
            if row.set_at != login.row.set_at or after == before:
                return
            renewed = await self._sealed(replace(row, version=row.version + 1), after)
            if await self._store.renew(renewed):
                self._opened[manager, name] = renewed, after
                return
            self._opened.pop((manager, name), None)
        if login.was_renewed:
            log.warning("renewed cookies were not kept: other visits renew them", name=name)

    async def _open(self, manager: str, name: str) -> Opened:
        found = self._opened.get((manager, name))
        if found is not None:
            return found
        row = await self._store.get(manager, name)
        if row is None:
            raise CredentialsUnusable(
                f"credentials {name} do not exist (vokter credentials set {name})"
            )
        try:
            unseal = self._with_key(name).unseal
            credentials = await asyncio.to_thread(unseal, manager, name, row.sealed)
        except Locked:
            raise CredentialsUnusable(
                f"credentials {name} were encrypted with another signing key: set them again"
            ) from None
        now = self._clock()
        if row.used_at is None or row.used_at <= now - USE_NOTED_MS:
            await self._store.note_use(manager, name, now)
        self._opened[manager, name] = row, credentials
        return row, credentials

    async def _sealed(self, row: SealedCredentials, credentials: Credentials) -> SealedCredentials:
        seal = self._with_key(row.name).seal
        sealed = await asyncio.to_thread(seal, row.manager, row.name, credentials)
        return replace(row, sealed=sealed)

    def _with_key(self, name: str) -> "Sealer":
        if self._sealer is None and (key := self._signing_key()) is not None:
            # Most workers open no credentials, and do without the library: 6 MB.
            from connectors.credentials.encryption import Sealer  # noqa: PLC0415

            self._sealer = Sealer(key)
        if self._sealer is None:
            raise CredentialsUnusable(
                f"credentials {name} cannot be decrypted: this process does not have the "
                "deployment's signing key (VOKTER_SIGNING_KEY)"
            )
        return self._sealer
