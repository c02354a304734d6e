"""Sessions that nobody began here."""

from pathlib import Path

import pytest

from connectors.access.keys import ApiKeys, new_key, save_keys
from connectors.access.roles import Role
from connectors.openid.members import IssuerUser
from connectors.page.session.sessions import MEMBER, Sessions

MEMBER_HERE = IssuerUser("u1", "news-desk", Role.ADMIN)


def keys_in(folder: Path) -> tuple[ApiKeys, str]:
    _, key = new_key("news-desk", None, None)
    save_keys(folder / "keys.json", [key])
    return ApiKeys(folder / "keys.json"), Sessions(b"k" * 32, keys_of(folder), now).begin(key)


def keys_of(folder: Path) -> ApiKeys:
    return ApiKeys(folder / "keys.json")


def now() -> float:
    return 1_000.0


def test_a_session_of_another_deployment_with_the_same_keys_is_none_here(tmp_path: Path) -> None:
    keys, cookie = keys_in(tmp_path)
    assert Sessions(b"k" * 32, keys, now).find(cookie) is not None
    assert Sessions(b"x" * 32, keys, now).find(cookie) is None


def test_an_account_has_a_session_where_its_rules_hold_alone(tmp_path: Path) -> None:
    keys, _ = keys_in(tmp_path)
    cookie = Sessions(b"k" * 32, keys, now, "rules").begin_for(MEMBER_HERE)
    found = Sessions(b"k" * 32, keys, now, "rules").find(cookie)
    assert found is not None
    assert (found.manager, found.role) == ("news-desk", Role.ADMIN)
    for secret, policy in ((b"k" * 32, "other rules"), (b"k" * 32, None), (b"x" * 32, "rules")):
        assert Sessions(secret, keys, now, policy).find(cookie) is None


@pytest.mark.parametrize("policy", ["rules", None])
@pytest.mark.parametrize(
    "cookie",
    ["", ".", "...", MEMBER, f"{MEMBER}.9999.x.y", f"{MEMBER}W1tbW1tb.9999.x.", "é.9999.x.y",
     f"{MEMBER}{'W' * 7000}.9999.x.y", "~.~.~.~", "\udcff.1.2.3"],
)  # fmt: skip
def test_what_is_not_signed_is_no_session(tmp_path: Path, cookie: str, policy: str | None) -> None:
    assert Sessions(b"k" * 32, keys_of(tmp_path), now, policy).find(cookie) is None


def test_a_member_cannot_become_another_with_a_part_of_a_session(tmp_path: Path) -> None:
    sessions = Sessions(b"k" * 32, keys_of(tmp_path), now, "rules")
    low = sessions.begin_for(IssuerUser("u1", "news-desk", Role.READ))
    high = sessions.begin_for(IssuerUser("u2", "news-desk", Role.ADMIN))
    who, rest = high.split(".", 1)[0], low.split(".", 1)[1]
    assert sessions.find(f"{who}.{rest}") is None
