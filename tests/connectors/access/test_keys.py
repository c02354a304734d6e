"""The file of API keys."""

import os
from pathlib import Path

import pytest

from connectors.access.keys import (
    ApiKey,
    ApiKeys,
    InvalidApiKeys,
    load_keys,
    new_key,
    save_keys,
)
from connectors.access.roles import Role


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "api-keys.json"


def test_keys_that_were_saved_are_loaded(path: Path) -> None:
    keys = (new_key("a", None, None)[1], new_key("b", 10, 60)[1])
    save_keys(path, keys)
    assert load_keys(path) == keys


def test_the_secret_is_in_no_file_and_only_the_owner_may_read_the_file(path: Path) -> None:
    secret, key = new_key("a", None, None)
    save_keys(path, [key])
    assert secret.removeprefix("vk_") not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_key_is_found_only_by_its_secret(path: Path) -> None:
    secret, key = new_key("a", None, None)
    save_keys(path, [key])
    keys = ApiKeys(path)
    assert keys.find(secret) == key
    for other in ("", secret[:-1], secret + "x", key.sha256, key.id, "vk_\udcff"):
        assert keys.find(other) is None


def test_without_a_file_no_key_is_needed_until_one_is_created(path: Path) -> None:
    keys = ApiKeys(path)
    assert not keys.required
    secret, key = new_key("a", None, None)
    save_keys(path, [key])
    assert keys.required
    assert keys.find(secret) == key


def test_a_key_has_its_role_and_one_of_a_file_without_roles_writes(path: Path) -> None:
    save_keys(path, [new_key("a", None, None, role)[1] for role in Role])
    assert [key.role for key in load_keys(path)] == ["read", "write", "admin"]
    path.write_text('[{"id": "1", "sha256": "2", "manager": "a"}]')
    assert load_keys(path) == (ApiKey("1", "2", "a", role=Role.WRITE),)


@pytest.mark.parametrize("lost", ["removed", "empty"])
def test_when_the_keys_are_lost_nobody_is_admitted(path: Path, lost: str) -> None:
    secret, key = new_key("a", None, None)
    save_keys(path, [key])
    keys = ApiKeys(path)
    if lost == "removed":
        path.unlink()
    else:
        save_keys(path, [])
    assert keys.required
    assert keys.find(secret) is None


def test_a_removed_key_is_invalid_at_once(path: Path) -> None:
    (one, kept), (two, removed) = new_key("a", None, None), new_key("a", None, None)
    save_keys(path, [kept, removed])
    keys = ApiKeys(path)
    assert keys.find(two)
    save_keys(path, [kept])
    assert keys.find(two) is None
    assert keys.find(one) == kept


@pytest.mark.parametrize("content", [
    "", "{}", "[1]", '[{"id": "a"}]', '[{"id": "a", "sha256": "b", "manager": ""}]',
    '[{"id": "a", "sha256": "b", "manager": "c", "per_minute": 0}]',
    '[{"id": "a", "sha256": "b", "manager": "c", "role": "root"}]',
    '[{"id": "a", "sha256": "b", "manager": "c", "per_minute": "many"}]',
])  # fmt: skip
def test_a_file_that_contains_no_keys_is_an_error_that_names_it(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(InvalidApiKeys, match="api-keys"):
        ApiKeys(path)


def test_an_invalid_file_leaves_the_loaded_keys_valid(path: Path) -> None:
    secret, key = new_key("a", None, None)
    save_keys(path, [key])
    keys = ApiKeys(path)
    path.write_text("[")
    os.utime(path, ns=(1, 1))
    assert keys.find(secret) == ApiKey(key.id, key.sha256, "a")
