"""The credentials of pages behind a login, decrypted with the signing key in the settings."""

from contextlib import suppress
from time import monotonic

from connectors.credentials.vault import Vault
from connectors.signing_key import InvalidSigningKey, find_signing_key
from connectors.stores.ports import CredentialsStore
from streams.effects.clock import now
from streams.settings import Settings


def opened_vault(settings: Settings, store: CredentialsStore) -> Vault:
    """Return the encryption and decryption of the credentials in a store.

    Without the signing key everything works but pages behind a login.
    """

    def signing_key() -> bytes | None:
        with suppress(InvalidSigningKey):
            return find_signing_key(settings.signing_key, settings.signing_file)
        return None

    return Vault(store, signing_key, now, monotonic)
