"""Signing in with the issuer that the settings name."""

from pathlib import Path
from typing import Any

import pytest

from connectors.access.roles import Role
from connectors.openid.errors import ClientSecretUnreadable
from connectors.openid.issuer import Client
from streams.effects.deliver import verifies_webhooks
from streams.effects.openid import team_of
from streams.settings import Settings

GIVEN: dict[str, Any] = {
    "oidc_issuer": "https://login.example/team",
    "oidc_client_id": "vokter",
    "public_url": "https://vokter.example/",
    "oidc_roles": "admin=ops, read=*",
}

BY_SETTING = "oidc_client_secret"


def client_of(**given: Any) -> Client:
    team = team_of(Settings(**GIVEN, **given), b"k" * 32, lambda: 0.0, lambda: 0.0)
    assert team is not None
    return team.issuer.client


def test_without_an_issuer_there_are_keys_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert team_of(settings, b"k" * 32, lambda: 0.0, lambda: 0.0) is None


def test_the_rules_and_the_address_to_come_back_to_follow_from_the_settings() -> None:
    settings = Settings(**GIVEN, oidc_domains="Example.org")
    team = team_of(settings, b"k" * 32, lambda: 0.0, lambda: 0.0)
    assert team is not None
    assert team.rules.roles == ((Role.ADMIN, "ops"), (Role.READ, "*"))
    assert team.rules.domains == ("example.org",)
    assert team.issuer.client.redirect == "https://vokter.example/sign-in/return"
    assert team.is_secure


def test_the_client_secret_is_set_or_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from the file\n")
    assert client_of().secret == ""
    assert (client_of(**{BY_SETTING: "set"}).secret,) == ("set",)
    found = client_of(oidc_client_secret_file=tmp_path / "secret")
    assert (found.secret,) == ("from the file",)
    with pytest.raises(ClientSecretUnreadable, match="missing"):
        client_of(oidc_client_secret_file=tmp_path / "missing")


def test_where_teams_sign_in_webhooks_must_answer_a_challenge(tmp_path: Path) -> None:
    assert verifies_webhooks(Settings(**GIVEN, data_dir=tmp_path))


def test_other_rules_end_the_sessions_of_the_team() -> None:
    def policy(**given: Any) -> str:
        team = team_of(Settings(**{**GIVEN, **given}), b"k" * 32, lambda: 0.0, lambda: 0.0)
        assert team is not None
        return team.policy

    assert policy() == policy(**{BY_SETTING: "other"})
    for changed in ({"oidc_roles": "read=*"}, {"oidc_manager": "x"}, {"oidc_client_id": "y"}):
        assert policy(**changed) != policy()
