"""The signing key: set, or made once however many processes start at a time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from connectors.signing_key import InvalidSigningKey, find_signing_key, load_signing_key
from streams.settings import Settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "signing-key"


def test_a_key_from_the_settings_is_used_and_no_file_is_created(path: Path) -> None:
    assert load_signing_key(SecretStr("k" * 32), path) == b"k" * 32
    assert not path.exists()


def test_without_a_key_in_the_settings_one_is_created_for_its_owner_only(path: Path) -> None:
    assert find_signing_key(None, path) is None
    made = load_signing_key(None, path)
    assert len(made) >= 32
    assert load_signing_key(None, path) == find_signing_key(None, path) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["signing-key"]


def test_processes_that_start_at_the_same_time_share_one_key(path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: load_signing_key(None, path), range(64)))
    assert len(keys) == 1


def test_a_damaged_file_is_not_used_and_not_replaced(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("cut off")
    with pytest.raises(InvalidSigningKey, match="fewer than 32 characters") as error:
        load_signing_key(None, path)
    assert "cut off" not in str(error.value)
    assert path.read_text() == "cut off"


def test_no_key_is_created_in_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidSigningKey, match="Cannot create a signing key"):
        load_signing_key(None, tmp_path / "file" / "signing-key")


def test_settings_pass_the_key_on_to_our_processes_but_do_not_show_it() -> None:
    key = "a key that nobody must ever see 1234"
    settings = Settings(signing_key=SecretStr(key))
    assert key not in repr(settings) + str(settings) + settings.model_dump_json()
    assert settings.environment()["VOKTER_SIGNING_KEY"] == key


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="must have at least 32 characters"):
        Settings(signing_key=SecretStr("short"))
