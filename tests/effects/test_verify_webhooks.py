"""Whether receivers have to prove that they want notifications."""

from pathlib import Path

import pytest

from connectors.access.keys import new_key, save_keys
from streams.effects.deliver import verifies_webhooks
from streams.settings import Settings


def test_by_default_it_is_so_as_soon_as_there_are_api_keys(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert not verifies_webhooks(settings)
    save_keys(settings.keys_file, [new_key("m", None, None)[1]])
    assert verifies_webhooks(settings)
    save_keys(settings.keys_file, [])
    assert not verifies_webhooks(settings)


@pytest.mark.parametrize("chosen", ["on", "off"])
def test_what_is_set_holds_whatever_keys_there_are(tmp_path: Path, chosen: str) -> None:
    settings = Settings(data_dir=tmp_path, verify_webhooks=chosen)
    assert verifies_webhooks(settings) == (chosen == "on")
    save_keys(settings.keys_file, [new_key("m", None, None)[1]])
    assert verifies_webhooks(settings) == (chosen == "on")
