"""The deployment's signing key: from the settings, else from a file made at the first start."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from infra.files import sync
from schemas.records.signing_key import MIN_KEY


class InvalidSigningKey(Exception):
    """The key file cannot be used; the text names the reason and the remedy."""


def load_signing_key(given: SecretStr | None, path: Path) -> bytes:
    """Return the signing key, created if missing.

    Raises InvalidSigningKey.

    >>> load_signing_key(SecretStr("k" * 32), Path("unused")) == b"k" * 32
    True
    """
    found = find_signing_key(given, path)
    if found is not None:
        return found
    try:
        _make(path)
    except OSError as error:
        raise InvalidSigningKey(
            f"Cannot create a signing key in {path}: {error.strerror}. Make the folder writable, "
            "or set VOKTER_SIGNING_KEY."
        ) from error
    return _read(path)


def find_signing_key(given: SecretStr | None, path: Path) -> bytes | None:
    """Return the key in the settings or the file, None without a key. Raises InvalidSigningKey."""
    if given is not None:
        return given.get_secret_value().encode("utf-8", "surrogateescape")
    return _read(path) if path.exists() else None


def _read(path: Path) -> bytes:
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise InvalidSigningKey(
            f"Cannot read the signing key in {path}: {error.strerror}."
        ) from error
    if len(key) < MIN_KEY:
        raise InvalidSigningKey(
            f"The signing key in {path} has fewer than {MIN_KEY} characters. Restore the file, or "
            "delete it to get a new key at the next start, which changes the secret of every "
            "webhook."
        )
    return key


def _make(path: Path) -> None:
    """Create the file; of several processes at once, a single process wins, with a whole key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(MIN_KEY))
        sync(Path(draft))
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        Path(draft).unlink()
