"""What the claims of an account allow."""

from typing import Any

import pytest

from connectors.access.roles import Role
from connectors.openid.errors import SignInRefused
from connectors.openid.members import IssuerUser, MemberRules, member_of

ROLES = ((Role.READ, "staff"), (Role.ADMIN, "ops"), (Role.WRITE, "editors"))
RULES = MemberRules(ROLES, "groups", "news-desk")


@pytest.mark.parametrize(("groups", "role"), [
    (["staff"], Role.READ), ("editors", Role.WRITE), (["staff", "ops", "editors"], Role.ADMIN),
    (["Staff", "editors"], Role.WRITE),
])  # fmt: skip
def test_the_highest_role_of_an_account_counts(groups: Any, role: Role) -> None:
    assert member_of({"sub": "u", "groups": groups}, RULES) == IssuerUser("u", "news-desk", role)


@pytest.mark.parametrize(
    "groups", [None, [], "", ["other"], [["staff"]], {"staff": 1}, 1, True, ["*"], "staff,ops"]
)
def test_an_account_without_a_role_is_refused_with_the_claim_that_it_lacks(groups: Any) -> None:
    with pytest.raises(SignInRefused, match="its claim 'groups' has none of the values"):
        member_of({"sub": "u", "groups": groups}, RULES)


def test_a_role_may_be_for_any_account_and_a_claim_be_in_another() -> None:
    anybody = MemberRules(((Role.READ, "*"), (Role.ADMIN, "ops")), "realm_access.roles", "m")
    assert member_of({"sub": "u"}, anybody).role == Role.READ
    nested = {"sub": "u", "realm_access": {"roles": ["ops"]}}
    assert member_of(nested, anybody).role == Role.ADMIN
    assert member_of({"sub": "u", "realm_access": ["roles"]}, anybody).role == Role.READ


@pytest.mark.parametrize(("claims", "is_welcome"), [
    ({"email": "a@Example.org", "email_verified": True}, True),
    ({"email": "a@example.org", "email_verified": False}, False),
    ({"email": "a@example.org", "email_verified": "true"}, False),
    ({"email": "a@example.org"}, False),
    ({"email": "a@sub.example.org", "email_verified": True}, False),
    ({"email": "a@example.org@evil.example", "email_verified": True}, False),
    ({"email": "example.org", "email_verified": True}, False),
    ({"email_verified": True}, False),
])  # fmt: skip
def test_with_domains_a_verified_address_must_be_of_one(
    claims: dict[str, Any], is_welcome: bool
) -> None:
    rules = MemberRules(((Role.READ, "*"),), "groups", "m", domains=("example.org",))
    if is_welcome:
        assert member_of({"sub": "u", **claims}, rules).role == Role.READ
    else:
        with pytest.raises(SignInRefused, match="verified e-mail address of example"):
            member_of({"sub": "u", **claims}, rules)


@pytest.mark.parametrize("team", [None, "", 1, ["a"], "x" * 257])
def test_an_account_without_a_manager_is_refused(team: Any) -> None:
    rules = MemberRules(((Role.READ, "*"),), "groups", "default", manager_claim="team")
    assert member_of({"sub": "u", "team": "desk"}, rules).manager == "desk"
    with pytest.raises(SignInRefused, match="its claim 'team' is not one text"):
        member_of({"sub": "u", "team": team}, rules)
