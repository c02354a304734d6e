"""API keys: a file of hashes, each with its manager."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import structlog
from pydantic import Field, TypeAdapter

from connectors.access.roles import Role
from infra.files import locked_folder, replace_text

log = structlog.get_logger()

PREFIX = "vk_"
Text = Annotated[str, Field(min_length=1, max_length=256)]
Quota = Annotated[int, Field(gt=0)] | None


class InvalidApiKeys(Exception):
    """The file of API keys cannot be read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key in its stored form: its hash, never the key itself.

    ``subscriptions`` and ``per_minute`` are quotas, None without a limit. A file without roles has
    keys with the role WRITE.
    """

    id: Text
    sha256: Text
    manager: Text
    subscriptions: Quota = None
    per_minute: Quota = None
    role: Role = Role.WRITE


_KEYS = TypeAdapter(tuple[ApiKey, ...])


def new_key(
    manager: str,
    subscriptions: int | None,
    per_minute: int | None,
    role: Role = Role.WRITE,
) -> tuple[str, ApiKey]:
    """Create a key: its secret, to be shown once, and its stored form.

    >>> secret, key = new_key("news-desk", subscriptions=100, per_minute=None)
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    key_id = secrets.token_hex(4)
    return secret, ApiKey(key_id, _hash(secret), manager, subscriptions, per_minute, role)


def load_keys(path: Path) -> tuple[ApiKey, ...]:
    """Load the file; without a file there are no keys. Raises InvalidApiKeys."""
    try:
        return _KEYS.validate_json(path.read_bytes(), strict=True)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise InvalidApiKeys(f"Cannot read the API keys in {path}: {error}") from error


def save_keys(path: Path, keys: Iterable[ApiKey]) -> None:
    """Replace the file, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, _KEYS.dump_json(tuple(keys), indent=1).decode(), mode=0o600)


def change_keys(
    path: Path, change: Callable[[tuple[ApiKey, ...]], Iterable[ApiKey]]
) -> tuple[ApiKey, ...]:
    """Replace the keys of the file by their ``change``, and return the keys before.

    Processes change the file one after the other: no change undoes another, such as the removal of
    a key. Raises InvalidApiKeys.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked_folder(path.parent):
        known = load_keys(path)
        changed = tuple(change(known))
        if changed != known:
            save_keys(path, changed)
    return known


class ApiKeys:
    """The keys of a file, loaded again after each change.

    Once there were keys, an empty or missing file admits nobody.
    """

    def __init__(self, path: Path, *, is_required: bool = False) -> None:
        """Load the file; without keys, callers need a key only if ``is_required``.

        Raises InvalidApiKeys.
        """
        self._path = path
        self._stamp = _stamp(path)
        self._by_hash = {key.sha256: key for key in load_keys(path)}
        self._required = is_required or bool(self._by_hash)

    @property
    def required(self) -> bool:
        """Whether callers need a key."""
        self._refresh()
        return self._required

    @property
    def are_removed(self) -> bool:
        """Whether a key is needed and there is none, as after the removal of the last."""
        return self.required and not self._by_hash

    @property
    def managers(self) -> set[str]:
        """The managers with a key."""
        self._refresh()
        return {key.manager for key in self._by_hash.values()}

    def find(self, secret: str) -> ApiKey | None:
        """Return the key with a secret, None if there is none."""
        self._refresh()
        return self._by_hash.get(_hash(secret))

    def with_id(self, key_id: str) -> ApiKey | None:
        """Return the key with an id, None if there is none any more."""
        self._refresh()
        return next((key for key in self._by_hash.values() if key.id == key_id), None)

    def _refresh(self) -> None:
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._by_hash = {key.sha256: key for key in load_keys(self._path)}
        except InvalidApiKeys as error:
            log.warning("invalid API keys, the keys loaded before stay valid", error=str(error))
        self._required = self._required or bool(self._by_hash)


def _hash(secret: str) -> str:
    # Plain SHA-256 is enough: a key is 256 random bits, not a password that can be guessed.
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino
