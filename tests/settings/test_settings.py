"""The settings that a process hands to its children."""

import pytest

from streams.settings import Settings


def test_a_child_process_loads_the_settings_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Settings(
        allow_private=("127.0.0.0/8",), trusted_proxies=("10.0.0.0/8", "::1/128"), min_interval=7
    )
    for settings in (Settings(), given):
        for name, value in settings.environment().items():
            monkeypatch.setenv(name, value)
        assert Settings() == settings
