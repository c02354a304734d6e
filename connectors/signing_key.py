"""The deployment's signing key: as it is set, else in a file, made at the first start."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from schemas.signing import MIN_KEY


class InvalidSigningKey(Exception):
    """The file of the key cannot be used; the text says why and what to do."""


def load_signing_key(given: SecretStr | None, path: Path) -> bytes:
    """Give the key; where none is set or kept, one is made. Raises InvalidSigningKey."""
    found = find_signing_key(given, path)
    if found is not None:
        return found
    try:
        _make(path)
    except OSError as error:
        raise InvalidSigningKey(
            f"no signing key can be made in {path}: {error.strerror}"
        ) from error
    return _read(path)


def find_signing_key(given: SecretStr | None, path: Path) -> bytes | None:
    """Give the key that is set or kept, None where there is none. Raises InvalidSigningKey."""
    if given is not None:
        return given.get_secret_value().encode("utf-8", "surrogateescape")
    return _read(path) if path.exists() else None


def _read(path: Path) -> bytes:
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise InvalidSigningKey(
            f"the signing key in {path} cannot be read: {error.strerror}"
        ) from error
    if len(key) < MIN_KEY:
        raise InvalidSigningKey(
            f"the signing key in {path} has less than {MIN_KEY} characters. Restore the file, "
            "or delete it: then a new key is made, and all webhooks get new secrets."
        )
    return key


def _make(path: Path) -> None:
    """Several processes may do so at once: the link is made by one of them, with all in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(MIN_KEY))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        Path(draft).unlink()
