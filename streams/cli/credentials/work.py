"""What ``vokter credentials …`` does with the store."""

from time import monotonic

from connectors.credentials.errors import CredentialsUnusable
from connectors.credentials.vault import Vault
from schemas.records.credentials import Credentials, SealedCredentials
from streams.cli.setup.existing_store import check_store_exists
from streams.cli.setup.preparation import deployed_signing_key
from streams.effects.clock import now
from streams.effects.connections import opened_store
from streams.settings import Settings


async def store_credentials(
    settings: Settings, manager: str, name: str, given: Credentials
) -> SealedCredentials:
    """Encrypt and store credentials; raises what ``Vault.put`` raises, and errors of the store."""
    from streams.effects.deliver import opened_sender

    check_store_exists(settings)
    key = await deployed_signing_key(settings)
    if key is None:
        raise CredentialsUnusable(
            "credentials are encrypted with the deployment's signing key, and this machine does "
            "not have it: set VOKTER_SIGNING_KEY, or use PUT /credentials/NAME"
        )
    async with opened_store(settings) as store:
        vault = Vault(store.credentials, lambda: key, now, monotonic)
        async with opened_sender(settings, vault.open) as announcer:
            await announcer.check(manager, given)
        return await vault.put(manager, name, given)


async def list_credentials(settings: Settings, manager: str) -> list[SealedCredentials]:
    """List a manager's credentials, without what is encrypted."""
    check_store_exists(settings)
    async with opened_store(settings) as store:
        return await store.credentials.all_of(manager)


async def remove_credentials(settings: Settings, manager: str, name: str) -> None:
    """Delete credentials; raises LookupError if there are none of this name."""
    check_store_exists(settings)
    async with opened_store(settings) as store:
        if not await store.credentials.remove(manager, name):
            raise LookupError(f"the manager {manager!r} has no credentials {name!r}")
