"""Roles of the users of an issuer, by the claims of their ID token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from connectors.access.roles import Role
from connectors.openid.errors import SignInRefused

ANYBODY = "*"
MAX_NAME = 256
"""Characters of a manager, as everywhere."""


@dataclass(frozen=True, slots=True)
class IssuerUser:
    """A user of the issuer: the manager and the role."""

    subject: str
    manager: str
    role: Role


@dataclass(frozen=True, slots=True)
class MemberRules:
    """The rules by which users may sign in, and their roles.

    ``roles`` are pairs of a role and a value of ``role_claim`` with the role; the highest counts.
    With ``domains``, the user's verified e-mail address must be in any of them. The manager is
    ``manager``, or the value of ``manager_claim``.
    """

    roles: tuple[tuple[Role, str], ...]
    role_claim: str
    manager: str
    manager_claim: str | None = None
    domains: tuple[str, ...] = ()


def member_of(claims: Mapping[str, Any], rules: MemberRules) -> IssuerUser:
    """Return the rights of a user; raises SignInRefused.

    >>> rules = MemberRules(((Role.READ, "*"), (Role.ADMIN, "ops")), "groups", "default")
    >>> member_of({"sub": "u1", "groups": ["ops"]}, rules).role
    <Role.ADMIN: 'admin'>
    """
    name, _, domain = str(claims.get("email", "")).rpartition("@")
    is_verified = claims.get("email_verified") is True and bool(name)
    if rules.domains and not (is_verified and domain.lower() in rules.domains):
        allowed = ", ".join(rules.domains)
        raise SignInRefused(
            f"Sign in with a verified e-mail address of {allowed} (VOKTER_OIDC_DOMAINS)."
        )
    found = _claim(claims, rules.role_claim)
    values = [
        each for each in (found if isinstance(found, list) else [found]) if isinstance(each, str)
    ]
    roles = [role for role, value in rules.roles if value == ANYBODY or value in values]
    if not roles:
        raise SignInRefused(
            f"Your account has no role here: its claim {rules.role_claim!r} has none of the "
            "values in VOKTER_OIDC_ROLES. Ask an administrator."
        )
    highest = max(roles, key=list(Role).index)
    return IssuerUser(str(claims["sub"]), _manager(claims, rules), highest)


def _manager(claims: Mapping[str, Any], rules: MemberRules) -> str:
    if rules.manager_claim is None:
        return rules.manager
    found = _claim(claims, rules.manager_claim)
    if not isinstance(found, str) or not 1 <= len(found) <= MAX_NAME:
        raise SignInRefused(
            f"Your account has no manager here: its claim {rules.manager_claim!r} is not one "
            f"text of 1 to {MAX_NAME} characters (VOKTER_OIDC_MANAGER_CLAIM)."
        )
    return found


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Return a claim by its name, or by its path as in ``realm_access.roles``."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
